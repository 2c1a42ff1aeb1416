import time,sys
def test_md(qtbot):
    from qgis_agent.gui.text_view import TextView
    N=20000
    for name,t in {"line":"a","words":"word ","brackets":"[","nested":"> ","stars":"*a_ ","links":"[a](http://x.y/?q=1) ","pics":"![a](http://x.y/q.png) ","backticks":"`","tildes":"~a","lists":"- a\n","tbl":"|1|2|\n","refs":"[a]","ent":"&#106;&#97;&lt;img src=x&gt; ", "objs":"\ufffc", "bracketclose":"[a", "lt":"<", "deep":"- ","tablewide":"a|"}.items():
        t=(t*N)[:N]
        if name=="tbl": t="|a|b|\n|-|-|\n"+t
        if name=="refs": t="[a]: http://x\n"*500+t
        if name=="tablewide": t="|"+"a|"*2000+"\n|"+"-|"*2000+"\n|"+"b|"*2000
        v=TextView(); qtbot.addWidget(v); v.resize(360,100); v.show()
        s=time.time(); v.set_markdown(t); a=time.time(); v.set_plain(t); print(name, round(a-s,2), round(time.time()-a,2), v.height(), flush=True)
