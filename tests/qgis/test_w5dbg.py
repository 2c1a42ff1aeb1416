import sys
sys.path[:0]=["/work/main/tests/qgis","/work/main/tests/support"]
from test_accessibility import *
@pytest.mark.parametrize("window",["trust"],indirect=True)
def test_x(window):
    w=window; n=w
    for _ in range(20):
        n=n.nextInFocusChain(); print("@@",type(n).__name__,n.objectName(), told(n), n.focusPolicy(), n.isVisible(), n.isEnabled(), n.focusProxy())
        if n is w: break
