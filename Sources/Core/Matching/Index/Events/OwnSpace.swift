/// A space that an index keeps for matches one at a time.
final class OwnSpace {
    var space = MatchingSpace()
}
