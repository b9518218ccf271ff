"""Texts of models with random contents: each attribute of each element is there with a chance of its own. A seed makes a text."""

import random
from collections import defaultdict


def number(low, high):
    return lambda draw: f"{draw.uniform(low, high):.4f}"


def numbers(count, low, high):
    return lambda draw: " ".join(number(low, high)(draw) for _ in range(count))


def one_of(*values):
    return lambda draw: str(draw.choice(values))


def either(*values):
    return lambda draw: draw.choice(values)(draw)


def joined(*values):
    return lambda draw: " ".join(value(draw) for value in values)


on, off = one_of("enable"), one_of("disable")

# attributes of an element: how often each is there, and what it is
COMPILER = {
    "autolimits": (0.2, one_of("true")),
    "balanceinertia": (0.15, one_of("true")),
    "boundinertia": (0.15, number(0.001, 0.1)),
    "boundmass": (0.15, number(0.01, 1)),
    "eulerseq": (0.3, one_of("xyz", "XYZ", "zyx", "ZXY")),
    "fusestatic": (0.15, one_of("true")),
    "inertiafromgeom": (0.15, one_of("true", "auto")),
    "inertiagrouprange": (0.1, one_of("0 2", "0 4")),
}
OPTION = {
    "cone": (0.5, one_of("pyramidal", "elliptic")),
    "density": (0.25, number(0.5, 10)),
    "gravity": (0.2, numbers(3, -5, 5)),
    "impratio": (0.2, number(1, 10)),
    "integrator": (0.8, one_of("Euler", "RK4", "implicit", "implicitfast")),
    "jacobian": (0.4, one_of("dense", "sparse")),
    "magnetic": (0.2, numbers(3, -1, 1)),
    "o_solimp": (0.1, one_of(".8 .9 .002 .5 2")),
    "o_solref": (0.1, one_of(".03 1")),
    "solver": (0.3, one_of("CG")),
    "timestep": (0.7, one_of(0.001, 0.003, 0.005)),
    "viscosity": (0.25, number(0, 0.5)),
    "wind": (0.2, numbers(3, -2, 2)),
}
FLAG = {
    **{flag: (0.04, off) for flag in "contact damper equality eulerdamp filterparent frictionloss gravity island limit".split()},
    **{flag: (0.04, off) for flag in "actuation clampctrl refsafe sensor spring warmstart".split()},
    **{flag: (0.08, on) for flag in "energy multiccd override".split()},
}
PLACE = {"pos": (0.5, numbers(3, -0.15, 0.15))}
TURN = [
    {},
    {"quat": (1, numbers(4, -1, 1))},
    {"euler": (1, numbers(3, -60, 60))},
    {"axisangle": (1, numbers(4, -1, 1))},
    {"zaxis": (1, numbers(3, -1, 1))},
    {"xyaxes": (1, numbers(6, -1, 1))},
]
TOUCH = {
    "conaffinity": (0.1, one_of(0, 1, 2, 3)),
    "condim": (0.4, one_of(1, 3, 4, 6)),
    "contype": (0.1, one_of(0, 1, 2, 3)),
    "friction": (0.3, joined(number(0.1, 1.5), number(0.001, 0.02), number(0.0001, 0.001))),
    "gap": (0.1, number(0, 0.01)),
    "margin": (0.2, number(0, 0.02)),
    "priority": (0.15, one_of(0, 1, 2)),
    "solimp": (0.2, one_of(".9 .95 .001", ".8 .99 .01 .3 3", ".5 .9 .02")),
    "solmix": (0.15, number(0.1, 3)),
    "solref": (0.2, one_of(".02 1", ".01 .8", "-1000 -20", ".05 1.5")),
}
GEOM = {
    **TOUCH,
    "density": (0.3, number(100, 2000)),
    "fluidshape": (0.2, one_of("ellipsoid", "none")),
    "group": (0.2, one_of(0, 1, 2, 3)),
    "rgba": (0.1, one_of(".5 .1 .2 1", ".5 .5 .5 0")),
}
SIZES = {"sphere": 1, "capsule": 2, "box": 3, "cylinder": 2, "ellipsoid": 3}
LIMITED = {
    "limited": (1, one_of("true")),
    "margin": (0.3, number(0, 0.05)),
    "solimplimit": (0.2, one_of(".8 .95 .01")),
    "solreflimit": (0.3, one_of(".03 1", "-500 -10")),
}
SPRING = {
    "armature": (0.4, number(0.001, 0.1)),
    "damping": (0.5, number(0.01, 1)),
    "frictionloss": (0.25, number(0.01, 0.5)),
    "stiffness": (0.3, one_of("3", "12", "5 1 .5")),
}
JOINT = {**SPRING, **PLACE, "group": (0.1, one_of(0, 1, 2))}
SCALAR = {
    "actuatorfrcrange": (0.15, one_of("-3 3")),
    "actuatorgravcomp": (0.1, one_of("true")),
    "axis": (1, either(numbers(3, -1, 1), one_of("1 0 0", "0 1 0", "0 0 1"))),
    "ref": (0.2, number(-0.2, 0.2)),
    "springref": (0.3, number(-0.2, 0.2)),
}
RANGES = {
    "hinge": joined(number(-90, -5), number(5, 90)),
    "slide": joined(number(-0.5, -0.05), number(0.05, 0.5)),
    "ball": joined(one_of(0), number(10, 80)),
}
SITE = {**PLACE, "size": (0.5, numbers(3, 0.02, 0.15)), "type": (0.5, one_of(*SIZES))}
INERTIAL = {"diaginertia": (1, numbers(3, 0.01, 0.014)), "mass": (1, number(0.2, 2)), "pos": (1, numbers(3, -0.05, 0.05))}
CAMERA = {"mode": (0.7, one_of("fixed", "track", "trackcom")), "pos": (1, numbers(3, -0.3, 0.3))}
EQUALITY = {
    "active": (0.1, one_of("false")),
    "solimp": (0.2, one_of(".8 .95 .01")),
    "solref": (0.3, one_of(".02 1", "-300 -10", ".05 .7")),
}
PAIR = {
    "condim": (0.5, one_of(1, 3, 4, 6)),
    "friction": (0.5, numbers(5, 0.01, 1)),
    "margin": (0.3, number(0, 0.05)),
    "solreffriction": (0.2, one_of(".05 1")),
}
TENDON = {
    "armature": (0.2, number(0.01, 0.3)),
    "damping": (0.4, number(0.1, 3)),
    "frictionloss": (0.3, number(0.05, 1)),
    "range": (0.4, one_of("-.3 .4", ".1 .6")),
    "springlength": (0.2, one_of(".3", ".1 .5")),
    "stiffness": (0.4, number(1, 50)),
}
FORCE = {
    "ctrlrange": (0.4, joined(number(-2, -0.1), number(0.1, 2))),
    "forcerange": (0.3, joined(number(-5, -0.5), number(0.5, 5))),
    "group": (0.1, one_of(0, 1, 2)),
}
ACTUATORS = {
    "motor": FORCE,
    "position": {**FORCE, "dampratio": (0.3, number(0.1, 2)), "kp": (1, number(1, 30)), "timeconst": (0.3, number(0.01, 0.2))},
    "velocity": {**FORCE, "kv": (1, number(0.1, 5))},
    "intvelocity": {"actrange": (1, one_of("-1 1")), "kp": (1, number(1, 20))},
    "damper": {"ctrlrange": (1, one_of("0 1")), "kv": (1, number(0.1, 2))},
    "cylinder": {"area": (1, number(0.5, 2)), "bias": (1, numbers(3, -0.5, 0.5)), "timeconst": (1, number(0.01, 0.3))},
    "muscle": {"force": (1, number(1, 50)), "lengthrange": (1, one_of(".2 1.1")), "tausmooth": (0.3, number(0.01, 0.2))},
    "dcmotor": {"motorconst": (1, number(0.01, 0.5)), "resistance": (1, number(0.5, 3))},
    "general": {
        **FORCE,
        "actearly": (0.2, one_of("true")),
        "biasprm": (1, numbers(3, -2, 0)),
        "biastype": (0.5, one_of("affine")),
        "dynprm": (1, number(0.01, 0.5)),
        "dyntype": (1, one_of("integrator", "filter", "filterexact")),
        "gainprm": (1, numbers(3, -2, 2)),
        "gaintype": (0.5, one_of("affine")),
    },
}
READING = {"cutoff": (0.15, number(0.1, 5))}
# sensors by what they are attached to
SENSORS = {
    "site": "accelerometer force gyro magnetometer rangefinder torque touch velocimeter",
    "scalar": "jointactuatorfrc jointpos jointvel",
    "ball": "ballangvel ballquat",
    "tendon": "tendonactuatorfrc tendonpos tendonvel",
    "actuator": "actuatorfrc actuatorpos actuatorvel",
    "body": "framelinacc frameangacc framelinvel frameangvel framepos framequat framexaxis subtreeangmom subtreecom subtreelinvel",
}


class Text:
    """A text in the making: what is drawn, and the names so far by kind."""

    def __init__(self, seed):
        self.draw = random.Random(seed)
        self.names = defaultdict(list)

    def chance(self, share):
        return self.draw.random() < share

    def name(self, kind):
        names = self.names[kind]
        names.append(f"{kind}{len(names)}")
        return names[-1]

    def some(self, kind, count=1):
        """Names of a kind; none if there are too few."""
        names = self.names[kind]
        return self.draw.sample(names, count) if len(names) >= count else None

    def element(self, tag, *tables, inside="", **fixed):
        for table in tables:
            for attribute, (share, value) in table.items():
                if attribute not in fixed and self.chance(share):
                    fixed[attribute] = value(self.draw)
        attributes = "".join(f' {attribute}="{value}"' for attribute, value in fixed.items())
        return f"<{tag}{attributes}>{inside}</{tag}>\n"

    def several(self, make, *counts):
        return "".join(make() or "" for _ in range(self.draw.choice(counts)))

    def turn(self):
        return self.draw.choice(TURN)

    def geom(self):
        kind = self.draw.choice(list(SIZES))
        size = numbers(SIZES[kind], 0.04, 0.15)(self.draw)
        return self.element("geom", PLACE, self.turn(), GEOM, name=self.name("geom"), type=kind, size=size)

    def site(self):
        return self.element("site", SITE, self.turn(), name=self.name("site"))

    def joint(self, kind):
        name = self.name("joint")
        self.names["ball" if kind == "ball" else "scalar"].append(name)
        limit = {"range": (1, RANGES[kind]), **LIMITED} if self.chance(0.4) else {}
        own = {} if kind == "ball" else SCALAR
        return self.element("joint", JOINT, limit, own, name=name, type=kind)

    def joints(self):
        kinds = self.draw.choice([[], ["hinge"], ["slide"], ["hinge", "hinge"], ["slide", "ball"], ["hinge", "slide", "hinge"]])
        return "".join(self.joint(kind) for kind in kinds)

    def body(self, depth, place):
        name = self.name("body")
        free = depth == 2 and self.chance(0.4)
        inside = f'<freejoint name="{self.name("free")}"/>' if free else self.joints()
        inside += self.several(self.geom, 1, 1, 2, 3) + self.several(self.site, 0, 1, 2)
        if self.chance(0.15):
            inside += self.element("inertial", INERTIAL)
        if self.chance(0.15):
            inside += self.element("camera", CAMERA, self.turn())
        if depth:
            inside += self.several(lambda: self.body(depth - 1, numbers(3, -0.3, 0.3)), 0, 1, 2)
        gravity = {"gravcomp": (0.15, number(0, 1.2))}
        return self.element("body", self.turn(), gravity, inside=inside, name=name, pos=place(self.draw))

    def contact(self):
        if self.chance(0.5) and (geoms := self.some("geom", 2)):
            return self.element("pair", PAIR, geom1=geoms[0], geom2=geoms[1])
        if bodies := self.some("body", 2):
            return self.element("exclude", body1=bodies[0], body2=bodies[1])
        return None

    def equality(self):
        kind = self.draw.choice(["connect", "weld", "joint", "tendon"])
        of = {"joint": "scalar", "tendon": "tendon"}.get(kind, "body")
        if not (names := self.some(of, 2)):
            return None
        ends = {f"{'body' if of == 'body' else kind}{k + 1}": name for k, name in enumerate(names)}
        own = {"connect": {"anchor": (1, numbers(3, -0.2, 0.2))}, "weld": {"torquescale": (0.5, number(0.1, 2))}}
        return self.element(kind, own.get(kind, {"polycoef": (1, numbers(5, -0.5, 0.5))}), EQUALITY, **ends)

    def tendon(self):
        if self.chance(0.5) and (joints := self.some("scalar", 2)):
            inside = "".join(self.element("joint", {"coef": (1, number(-1, 1))}, joint=joint) for joint in joints)
            return self.element("fixed", TENDON, inside=inside, name=self.name("tendon"))
        if sites := self.some("site", 3):
            inside = "".join(self.element("site", site=site) for site in sites)
            return self.element("spatial", TENDON, inside=inside, name=self.name("tendon"))
        return None

    def actuator(self):
        of = self.draw.choice(["scalar", "scalar", "ball", "free", "tendon", "site"])
        if not (names := self.some(of)):
            return None
        gears = {"scalar": 1, "tendon": 1, "ball": 3}.get(of, 6)
        kind = self.draw.choice(list(ACTUATORS) if gears == 1 else ["motor", "velocity", "general"])
        target = {of if of in ("tendon", "site") else "joint": names[0]}
        gear = {"gear": (0.5 if gears == 1 else 1, numbers(gears, -2, 2))}
        return self.element(kind, gear, ACTUATORS[kind], name=self.name("actuator"), **target)

    def sensor(self):
        of = self.draw.choice(list(SENSORS))
        if not (names := self.some(of)):
            return None
        kind = self.draw.choice(SENSORS[of].split())
        if kind.startswith("frame"):
            reading = {} if kind in ("framequat", "framexaxis") else READING
            return self.element(kind, reading, objtype="body", objname=names[0])
        reading = {} if kind == "ballquat" else READING
        return self.element(kind, reading, **{{"scalar": "joint", "ball": "joint"}.get(of, of): names[0]})


def text(seed, **option):
    """The text of a model, with these options."""
    t = Text(seed)
    compiler = t.element("compiler", COMPILER)
    options = t.element("option", OPTION, inside=t.element("flag", FLAG), **option)
    floor = t.element("geom", TOUCH, name=t.name("geom"), type="plane", size="5 5 .1") if t.chance(0.8) else ""
    bodies = t.several(lambda: t.body(2, joined(numbers(2, -0.6, 0.6), number(0.2, 1))), 1, 2, 3)
    inside = t.element("worldbody", inside=floor + bodies)
    for section, most in {"contact": 2, "tendon": 2, "equality": 2, "actuator": 4, "sensor": 8}.items():
        inside += t.element(section, inside=t.several(getattr(t, section), *range(most + 1)))
    return t.element("mujoco", inside=compiler + options + inside)
