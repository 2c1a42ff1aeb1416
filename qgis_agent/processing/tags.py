"""Words that the toolbox finds our analysis algorithms by, beside their names."""

from __future__ import annotations

from typing import List

from ..gis.i18n import translate
from .agent_base import words


class Tagged:
    """To stand before QgsProcessingAlgorithm among the bases: gives the algorithm the tags of its name."""

    def name(self) -> str:
        """The algorithm's id without its provider."""
        return ""

    def tags(self) -> List[str]:
        """See the module."""
        return words(tags_of(self.name()))


def tags_of(name: str) -> str:
    """The tags of an algorithm, with commas; "" for one that has none."""
    return {
        "checkgeometries": translate(
            "QgisAgent", "topology,validity,invalid,overlaps,gaps,slivers,duplicates,quality,errors"
        ),
        "curvature": translate("QgisAgent", "terrain,dem,profile,plan,convex,concave,relief"),
        "deviationalellipse": translate(
            "QgisAgent", "directional distribution,dispersion,mean centre,median centre,orientation,points"
        ),
        "focalstatistics": translate(
            "QgisAgent", "neighbourhood,neighborhood,moving window,smooth,filter,kernel,median,majority"
        ),
        "geodesicbuffer": translate("QgisAgent", "buffer,metres,ellipsoid,distance,zone,ground"),
        "geodesiccircles": translate("QgisAgent", "buffer,ring,radius,metres,ellipsoid,points,zone"),
        "globalmoran": translate("QgisAgent", "moran's i,spatial autocorrelation,clustered,pattern,permutation"),
        "hotspots": translate("QgisAgent", "getis-ord,gi*,cold spots,clusters,significance"),
        "joinbylocation": translate("QgisAgent", "spatial join,attributes,intersects,within,contains,overlap,summary"),
        "joinbyvalue": translate("QgisAgent", "table join,attributes,field,key,lookup,match"),
        "leastcostpath": translate("QgisAgent", "cost distance,route,corridor,accumulated cost,friction,dijkstra"),
        "localmoran": translate("QgisAgent", "lisa,clusters,outliers,spatial autocorrelation,moran's i"),
        "nearestfeatures": translate("QgisAgent", "nearest neighbour,distance matrix,closest,hub,near,geodesic"),
        "pointsinpolygons": translate("QgisAgent", "count,sum,mean,aggregate,density,statistics"),
        "rastercalculate": translate("QgisAgent", "raster calculator,map algebra,formula,expression,bands,index"),
    }.get(name, "")
