"""The picture of the home page: what a policy pays, what leaving it pays, and the gap.

Two cars meet at a crossing. Each waits (effort 0) or goes (effort 1).
"""

import matplotlib.pyplot as plt
import numpy as np

import amg
from amg.figures.style import BLUE, GREY, INK, VERMILION
from amg.game.tabulation import tabulate

PAY = {"wait": (4, 1), "go": (5, 0)}  # if the other car waits, if it goes
POLICIES = {  # title, and the probabilities of (wait, wait), (wait, go), (go, wait), (go, go)
    "Both wait": (1, 0, 0, 0),
    "Each tosses a coin": (1 / 4, 1 / 4, 1 / 4, 1 / 4),
    "Both obey a traffic light": (0, 1 / 2, 1 / 2, 0),
}

game = tabulate(
    name="crossing",
    agents=("red", "blue"),
    states=[("road",)],
    efforts=lambda t, state, i: {"wait": 0, "go": 1},
    reward=lambda t, state, i, action, others: PAY[action][int(others)],
    transition=lambda t, state, total: {},  # the first step is the last
    initial={"road": 1},
)
figure, panels = plt.subplots(1, 3, figsize=(8, 3.2), dpi=200, sharey=True, layout="constrained")
for panel, (title, probabilities) in zip(panels, POLICIES.items(), strict=True):
    law = np.reshape(probabilities, (1, 1, 2, 2))  # [T, S, A, A]
    found = amg.evaluate(game, law, joint=True)
    value, best, gap = found.value[0], found.best_response[0], found.gap[0]
    leaving: dict[float, list[str]] = {}  # what it pays: actions
    for a, action in enumerate(PAY):
        alone = np.zeros_like(law)  # the red car always does a, the blue one follows the policy
        alone[:, :, a] = law.sum(axis=2)
        leaving.setdefault(amg.evaluate(game, alone, joint=True).value[0], []).append(action)
    for pay, actions in leaving.items():
        panel.plot(0.75, pay, "o", color=BLUE)
        panel.annotate(f"always {' or '.join(actions)}", (0.8, pay), va="center", color=BLUE)
    panel.plot((0, 0.45), (value, value), color=INK, linewidth=3)
    panel.annotate("obey", (0, value), (0, 5), textcoords="offset points")
    panel.plot((0.35, 0.75), (best, best), ":", color=GREY)
    panel.plot((0.35, 0.35), (value, best), color=VERMILION, linewidth=7, solid_capstyle="butt")
    sign = {-1: "−", 0: "", 1: "+"}[np.sign(gap)]
    panel.annotate(
        f"gap {sign}{abs(gap):g}", (0.35, min(value, best)), (0, -12),
        textcoords="offset points", ha="center", color=VERMILION, weight="bold",
    )  # fmt: skip
    panel.set(title=title, xlim=(-0.05, 1.5), ylim=(-0.3, 5.5), xticks=[])
    panel.spines[["top", "right", "bottom"]].set_visible(False)
panels[0].set_ylabel("pay of the red car")
plt.show()
