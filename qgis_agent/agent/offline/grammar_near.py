"""Sentences about what lies near or inside something, about the biggest of a layer, and about saving the project."""

from __future__ import annotations

from .grammar import Rule, rule

_FROM_EN = r"(?:within|closer than|less than|no more than|at most)(?: a (?:distance|radius) of)? {distance}(?: away)? (?:of|from|to|around) (?:(?:an?|any|one of the) )?{other}"
_MOST_EN = r"(?P<most>biggest|largest|smallest|longest|shortest|greatest)"

NEAR_RULES: tuple[Rule, ...] = (
    rule(
        "near", "en", "how many schools are within 500 m of a hospital", "within|than|at most",
        rf"(?P<how>how many) {{what}} (?:are |lie |exist )?(?:there )?(?:are )?{_FROM_EN}",
        rf"(?P<how>count|(?:the )?number of)(?: the| all)? {{what}} {_FROM_EN}",
        rf"(?:select|pick|find|show|list|which)(?: me)?(?: all)?(?: the)? {{what}} (?:(?:that )?(?:are|lie) )?{_FROM_EN}",
    ),
    rule(
        "near", "zh", "医院500米内有多少学校", "内|附近|周围|周边",
        r"{look}?(?:距离?)?{other}(?:周围|周边|附近|方圆)?的?{distance}(?:范围)?(?:以内|之内|内)的?(?P<how>(?:总共|一共|共)?有?(?:多少|几)){mw}{what}",
        r"{look}?(?:距离?)?{other}(?:周围|周边|附近|方圆)?的?{distance}(?:范围)?(?:以内|之内|内)的?{what}(?P<how>(?:总共|一共|共)?有(?:多少|几){mw}|的?(?:数量|个数|数目))",
        r"(?:选中|选择|选取|选出|找出|查找)(?:距离?)?{other}(?:周围|周边|附近|方圆)?的?{distance}(?:范围)?(?:以内|之内|内)的?(?:所有)?的?{what}",
    ),
    rule(
        "select_in", "en", "select the schools in 街道B", "select|pick",
        r"(?:select|pick)(?: all| every)?(?: the)? {what} (?:that (?:are|lie) )?(?:in|inside|within) {area}",
    ),
    rule(
        "select_in", "zh", "选中街道B内的学校", "内|里|中的",
        r"(?:选中|选择|选取|选出){area}(?:里面|里边|里|内|范围内|境内)的?(?:所有|全部)?的?{what}",
    ),
    rule(
        "biggest", "en", "what is the biggest street", "est ",
        rf"(?:what|which)(?: is| are|'s)?(?: the)? {_MOST_EN} {{what}}",
        rf"(?:(?:show|find|tell)(?: me)? )?the {_MOST_EN} {{what}}",
        rf"(?:what|which) {{what}} (?:is|are) (?:the )?{_MOST_EN}",
    ),
    rule(
        "biggest", "zh", "最大的街道是哪个", "最",
        r"(?P<most>最大|最小|最长|最短)的{what}(?:是哪[个一所家座条]?|是什么|叫什么|在哪里?)?",
    ),
    rule(
        "save_project", "en", "save the project", "save",
        r"save(?: the| this| my)?(?: current)?(?: qgis)? project(?: file)?",
    ),
    rule(
        "save_project", "zh", "保存工程", "保存|存",
        r"(?:保存|存)(?:当前|这个)?的?(?:工程|项目)(?:文件)?",
        r"(?:把|将)?(?:当前|这个)?的?(?:工程|项目)(?:文件)?(?:保存|存)(?:一下|起来|好)?",
    ),
)  # fmt: skip
