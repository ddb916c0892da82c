"""A game as a simultaneous-move game of OpenSpiel, and policies from one to the other.

Chance draws the first state and each next one, also where it is certain. An information state is
what an agent remembers, as text: "s a σ s' a' σ' …" in indices (`play.py`). All pay comes at the
end, in the game's own units, because OpenSpiel's C++ code (2.0) overlooks what is paid on the way
to a chance node. OpenSpiel walks the whole tree of histories, so games must be small.
"""

from itertools import product
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from amg.base.errors import PolicyError
from amg.bridges import missing
from amg.bridges.play import Law, Memory, first_law, next_law, remember, step
from amg.evaluation.policies import TOLERANCE, check_policies
from amg.game.model import Game

try:
    import pyspiel
    from open_spiel.python import policy as spiel_policy
except ImportError:
    raise missing("amg.bridges.openspiel", "open_spiel") from None

TYPE = {
    "short_name": "amg",
    "long_name": "Aggregative Markov game",
    "dynamics": pyspiel.GameType.Dynamics.SIMULTANEOUS,
    "chance_mode": pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
    "information": pyspiel.GameType.Information.IMPERFECT_INFORMATION,
    "utility": pyspiel.GameType.Utility.GENERAL_SUM,
    "reward_model": pyspiel.GameType.RewardModel.TERMINAL,
    "provides_information_state_string": True,
    "provides_information_state_tensor": False,
    "provides_observation_string": True,
    "provides_observation_tensor": False,
    "parameter_specification": {},
}


class SpielGame(pyspiel.Game):
    """A game of ours; OpenSpiel does not know it by a name."""

    def __init__(self, game: Game) -> None:
        low, high = game.reward_range
        super().__init__(
            pyspiel.GameType(max_num_players=game.N, min_num_players=game.N, **TYPE),
            pyspiel.GameInfo(
                num_distinct_actions=game.A_max,
                max_chance_outcomes=game.S,
                num_players=game.N,
                min_utility=game.T * low,
                max_utility=game.T * high,
                utility_sum=None,
                max_game_length=game.T,
            ),
            {},
        )
        self.game = game

    def new_initial_state(self) -> "SpielState":
        """Return the node where chance draws the first state."""
        return SpielState(self)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> "Observer":
        """Return what writes down what an agent sees."""
        return Observer(iig_obs_type is not None and iig_obs_type.perfect_recall)


class SpielState(pyspiel.State):
    """A node of the tree: chance draws a state, or all agents act in it.

    OpenSpiel copies every attribute of a node with it, so the game is not one of them.
    """

    def __init__(self, spiel: SpielGame) -> None:
        super().__init__(spiel)
        N = spiel.game.N
        self.t, self.s = 0, 0
        self.law: Law | None = first_law(spiel.game)  # of the state that chance draws next, if any
        self.memories: tuple[Memory, ...] = ((),) * N
        self.earned = (0.0,) * N

    def current_player(self) -> int:
        """Return who moves."""
        if self.is_terminal():
            return int(pyspiel.PlayerId.TERMINAL)
        chance, agents = pyspiel.PlayerId.CHANCE, pyspiel.PlayerId.SIMULTANEOUS
        return int(agents if self.law is None else chance)

    def is_terminal(self) -> bool:
        """Return whether the last step has been played."""
        return bool(self.t == self.get_game().game.T)

    def chance_outcomes(self) -> Law:
        """Return the law of the state that chance draws."""
        assert self.law is not None
        return self.law

    def returns(self) -> list[float]:
        """Return what each agent has earned, once the game is over."""
        return list(self.earned) if self.is_terminal() else [0.0] * len(self.earned)

    def _legal_actions(self, player: int) -> list[int]:
        return list(range(len(self.get_game().game.actions[self.t][self.s][player])))

    def _apply_action(self, action: int) -> None:
        """Enter the state that chance has drawn."""
        self.s, self.law = action, None
        self.memories = tuple((*past, action) for past in self.memories)

    def _apply_actions(self, actions: list[int]) -> None:
        """Play one step."""
        game = self.get_game().game
        pay, others, total = step(game, self.t, self.s, actions)
        self.earned = tuple(map(sum, zip(self.earned, pay, strict=True)))
        self.memories = tuple(remember(self.memories, actions, others))
        self.law = next_law(game, self.t, self.s, total)
        self.t += 1

    def _action_to_string(self, player: int, action: int) -> str:
        game = self.get_game().game
        if player == pyspiel.PlayerId.CHANCE:
            return str(game.states[self.t][action])
        return str(game.actions[self.t][self.s][player][action])

    def __str__(self) -> str:
        return f"step {self.t}: " + " | ".join(map(words, self.memories))


class Observer:
    """What an agent sees: all that it remembers, or the step and the state alone."""

    def __init__(self, perfect_recall: bool) -> None:
        self.perfect_recall = perfect_recall
        self.tensor, self.dict = None, dict[str, Any]()

    def set_from(self, state: SpielState, player: int) -> None:
        """Do nothing; there are no tensors."""

    def string_from(self, state: SpielState, player: int) -> str:
        """Return it as text."""
        return words(state.memories[player] if self.perfect_recall else (state.t, state.s))


class MarkovPolicy(spiel_policy.Policy):
    """A policy [T, S, N, A] of ours, for OpenSpiel; for the game made turn-based too."""

    def __init__(self, spiel: SpielGame, policy: ArrayLike) -> None:
        super().__init__(spiel, list(range(spiel.game.N)))
        (self.policy,), _ = check_policies(spiel.game, np.asarray(policy)[None])

    def action_probabilities(
        self, state: pyspiel.State, player_id: int | None = None
    ) -> dict[int, float]:
        """Return the probability of every legal action, also if it is 0."""
        player = state.current_player() if player_id is None else player_id
        turns = isinstance(state, pyspiel.TurnBasedSimultaneousState)
        node = state.simultaneous_game_state() if turns else state
        law = self.policy[node.t, node.s, player].tolist()
        return {a: law[a] for a in state.legal_actions(player)}


def policy_array(spiel: SpielGame, policy: spiel_policy.Policy) -> NDArray[np.float64]:
    """Return a policy of OpenSpiel as [T, S, N, A], for `amg.evaluate`.

    It must be Markov: it may depend on the step and the state, not on what came before. In states
    that no play reaches it is uniform.
    """
    game, known = spiel.game, set[tuple[int, int]]()
    array, todo = game.uniform_policy(), [spiel.new_initial_state()]
    while todo:
        node = todo.pop()
        if node.is_terminal():
            continue
        if node.is_chance_node():
            todo += [node.child(s) for s, _ in node.chance_outcomes()]
            continue
        t, s = node.t, node.s
        laws = np.zeros(game.effort.shape[2:])
        for i in range(game.N):
            for a, p in policy.action_probabilities(node, i).items():
                laws[i, a] = p
        if (t, s) in known and (wrong := abs(laws - array[t, s]).max(axis=1) > TOLERANCE).any():
            place = game.where(t, s, int(wrong.argmax()))
            raise PolicyError(
                f"{place}: the policy depends on more than the step and the state; amg.evaluate "
                f"takes Markov policies only"
            )
        known.add((t, s))
        array[t, s] = laws
        menus = (node.legal_actions(i) for i in range(game.N))
        todo += [spiel_policy.child(node, actions) for actions in product(*menus)]
    return array


def words(memory: Memory) -> str:
    """Return what an agent remembers as text."""
    return " ".join(map(str, memory))
