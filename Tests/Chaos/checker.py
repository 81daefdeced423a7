"""Compares what devices received with what their users' histories call for. Shares nothing with the service but the words of its API."""
import collections

from clients import key

ROUND = 8   # entries of a history that are shown around a difference


def queries(notes):
    return [note for note in notes if note.get("notificationType") == "query"]


def groups(notes):
    """Notifications of one database, those of one change together."""
    result = []
    for note in notes:
        change = (note["recordName"], note["queryNotificationReason"], note["notificationID"])
        if result and result[-1][0] == change:
            result[-1][1].append(note["subscriptionID"])
        else:
            result.append((change, [note["subscriptionID"]]))
    return [(record, reason, sorted(subscriptions)) for (record, reason, _), subscriptions in result]


def expected_private(writer, device):
    return [(change.record, change.reason, sorted(change.fires)) for change in writer.private
            if change.fires and change.origin != device]


def around(items, place):
    return "\n".join(f"    {'>' if index == place else ' '} {index}: {items[index]}"
                     for index in range(max(0, place - ROUND), min(len(items), place + ROUND)))


def doubled(notes, who):
    """Each notification comes once."""
    counts = collections.Counter(key(note) for note in notes if note.get("notificationType") != "readNotification")
    for what, count in counts.items():
        if count > 1:
            yield f"{who} got {count} notifications of {what}"


def private_difference(received, expected, who, is_whole):
    """The private database is one order: the notifications are the whole history, or a prefix of it."""
    received = groups([note for note in queries(received) if note.get("databaseScope", "").lower() == "private"])
    # The last change may be only partly delivered when its page ends.
    last = None if is_whole or not received else received.pop()
    if received == expected[:len(received)] and (not is_whole or len(received) == len(expected)):
        if last is None or len(received) < len(expected) and last[:2] == expected[len(received)][:2] and set(last[2]) <= set(expected[len(received)][2]):
            return
        yield f"{who} got {last} where {expected[len(received)] if len(received) < len(expected) else 'nothing'} is expected"
        return
    place = next((index for index, (left, right) in enumerate(zip(received, expected)) if left != right), min(len(received), len(expected)))
    missing = [item for item in expected if item not in received]
    extra = [item for item in received if item not in expected]
    yield (f"{who} got {len(received)} changes of the private database, {len(expected)} are expected; they differ at {place}; "
           f"{len(missing)} missing (first {missing[:1]}), {len(extra)} phantom (first {extra[:1]})\n  received:\n{around(received, place)}\n  expected:\n{around(expected, place)}")


def public_difference(received, writers, device, who, is_whole):
    """Each record of the public database is an order of its own."""
    notes_by_record, expected = collections.defaultdict(list), collections.defaultdict(list)
    for note in queries(received):
        if note.get("databaseScope", "").lower() == "public":
            notes_by_record[note["recordName"]].append((note["queryNotificationReason"], note["subscriptionID"]))
    for writer in writers:
        for change in writer.public:
            if change.origin != device:
                expected[change.record].append((change.reason, "public"))
    wrong = []
    for record in sorted(notes_by_record.keys() | expected.keys()):
        left, right = notes_by_record[record], expected[record]
        if left != (right if is_whole else right[:len(left)]):
            wrong.append(f"{record} {[reason for reason, _ in left]}, expected is {[reason for reason, _ in right]}")
    if wrong:
        yield f"{who} got wrong notifications of {len(wrong)} records of the public database:\n    " + "\n    ".join(wrong[:ROUND])


def differences(received, writer, writers, device, who, is_whole=True):
    """The faults in the notifications of a device."""
    yield from doubled(received, who)
    yield from private_difference(received, expected_private(writer, device), who, is_whole)
    yield from public_difference(received, writers, device, who, is_whole)


def same(left, right, who, what):
    """Two readings of one feed give the same entries in the same order."""
    left, right = [key(note) for note in left], [key(note) for note in right]
    if left != right:
        place = next((index for index, (one, other) in enumerate(zip(left, right)) if one != other), min(len(left), len(right)))
        yield f"{who}: {what} differ at {place} ({len(left)} and {len(right)})\n{around(left, place)}\n  and\n{around(right, place)}"


def lag(writer, writers, device, received):
    """How many notifications a device still lacks."""
    expected = sum(len(change.fires) for change in writer.private if change.origin != device)
    expected += sum(1 for one in writers for change in one.public if change.origin != device)
    return expected - len(queries(received))
