import numpy as np, difflib
from test_raster_info import *
from qgis_agent.gis.style import style_copy as sc
from qgis_agent.gis.style.history import canonical, style_xml
def test_x(bench, monkeypatch):
    cells = np.arange(400, dtype=np.float32).reshape(20, 20)
    a=add(bench, write(bench.folder/"a.tif", cells, -1),"a"); b=add(bench, write(bench.folder/"bb.tif", cells*4, -1),"bb")
    bench.ok("set_raster_style", layer_id="a", method="pseudocolor")
    print("plain", bench.call("copy_style", layer_id="a", to_layer_ids=["bb"])["ok"])
    bench.ok("set_raster_style", layer_id="a", method="pseudocolor", options={"stretch": "cumulative_cut"})
    print("cut", bench.call("copy_style", layer_id="a", to_layer_ids=["bb"])["ok"])
    bench.ok("patch_style", layer_id="a", patch={"opacity": 0.5})
    real=sc.canonical
    seen=[]
    monkeypatch.setattr(sc,"canonical",lambda x:(seen.append(real(x)),seen[-1])[1])
    print("opacity", bench.call("copy_style", layer_id="a", to_layer_ids=["bb"])["ok"])
    one,two=[s.decode() if isinstance(s,bytes) else str(s) for s in seen[:2]]
    import re
    f=lambda t: re.sub(r">",">\n",t).splitlines()
    print("\n".join(difflib.unified_diff(f(one),f(two),lineterm="",n=1))[:3000])
