import time,sys
def test_md(qtbot):
    from qgis_agent.gui.text_view import TextView
    for name,t in {"line1MB":"a"*1_000_000,"words1MB":"word "*200_000,"brackets":"["*100_000,"nested":"> "*20000+"x","stars":"*a_ "*100000,"links":"[a](http://x.y/?q=1) "*5000,"pics":"![a](http://x.y/q.png) "*3000,"backticks":"`"*200_000,"tildes":"~a"*200000,"lists":"- a\n"*30000,"table":"|a|b|\n|-|-|\n"+"|1|2|\n"*3000,"refs":"[a]: http://x\n"*5000+"[a]"*5000,"ent":"&#106;&#97;&lt;img src=x&gt; "*1000, "objs":"\ufffc"*20000, "bracketclose":"[a"*50000+"]"*50000, "lt":"<"*200000, "deep": "- "*3000+"x", "tablewide":"|"+"a|"*2000+"\n|"+"-|"*2000+"\n|"+"b|"*2000}.items():
        v=TextView(); qtbot.addWidget(v); v.resize(360,100); v.show()
        s=time.time(); v.set_markdown(t); print(name, round(time.time()-s,2), v.height(), flush=True)
