"""Ranks that go through the steps of a schedule, each waiting for what it is to hear."""

from __future__ import annotations

import abc
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Sequence

    from onehop import _core

Message = TypeVar("Message")


class ScheduleWalk(abc.ABC, Generic[Message]):
    """A rank alone stands for all, which do the same: it hears what it sends."""

    def __init__(self, everyone: Sequence[_core.CollectivePlan]) -> None:
        self._steps = [each.steps for each in everyone]
        self._mail: dict[tuple[int, int], list[Message]] = {}
        self._at = [0] * len(everyone)  # the step under way
        self._is_sent = [False] * len(everyone)  # its message

    def play(self) -> None:
        waiting = list(range(len(self._steps)))
        while waiting:
            before = [*self._at, *self._is_sent]
            for rank in waiting:
                while self._at[rank] < len(self._steps[rank]) and self._step(rank):
                    self._is_sent[rank] = False
                    self._at[rank] += 1
            waiting = [rank for rank in waiting if self._at[rank] < len(self._steps[rank])]
            if waiting and before == [*self._at, *self._is_sent]:
                raise RuntimeError(f"in the schedule ranks {waiting} wait for what nobody sends")

    @abc.abstractmethod
    def _send(self, rank: int, step: _core.ScheduleStep) -> Message:
        """What the receiver needs to know of the message."""

    @abc.abstractmethod
    def _hear(self, rank: int, step: _core.ScheduleStep, message: Message) -> None: ...

    @abc.abstractmethod
    def _copy(self, rank: int, step: _core.ScheduleStep) -> None: ...

    def _step(self, rank: int) -> bool:
        """False while nobody has sent what it is to hear."""
        step = self._steps[rank][self._at[rank]]
        if step.copies:
            self._copy(rank, step)
            return True
        if step.to >= 0 and not self._is_sent[rank]:
            sent = self._send(rank, step)
            self._mail.setdefault((rank, step.to), []).append(sent)
            self._is_sent[rank] = True
        if step.sender < 0:
            return True
        is_alone = len(self._steps) == 1
        box = self._mail.get((rank, step.to) if is_alone else (step.sender, rank))
        if not box:
            return False
        self._hear(rank, step, box.pop(0))
        return True
