import EventLog
import Telemetry
import Timing
import Waiting

/// Caches readers that have read ahead of a device's last page. The device's next page continues from there, without
/// reading bounds or fetching entries again.
///
/// At most `readersMax` are kept, each for two to three `sweepPause`. A page without a cached reader opens the feed by
/// its token. A reader belongs to one token: a request with another token, or a second one with the same, gets a reader
/// of its own.
final class ReaderCache: Sendable {
    static let hits = Counter(
        "fanfare_feeds_readers_kept_total", "Pages of feeds that went on with the reader of the page before.")

    private static let readersMax = 64
    private static let sweepPause = Duration.seconds(2.5)
    /// Sweeps that a reader survives. Counted instead of timed, so that only calls decide.
    private static let sweepsMax = 2

    private struct Kept {
        var identity: FeedIdentity
        /// The change token that the last page was answered with.
        var token: String
        var reader: FeedReader
        /// Sweeps since it was kept.
        var sweeps = 0
    }

    private struct State {
        /// Oldest first.
        var kept: [Kept] = []
        var isSweeping = false
    }

    private let state = BusyMutex(State())

    /// Takes the cached reader of a feed at a token; nil if there is none.
    func take(_ identity: FeedIdentity, at token: String) -> FeedReader? {
        let found = state.withLock { state -> FeedReader? in
            guard let index = state.kept.firstIndex(where: { $0.identity == identity && $0.token == token }) else {
                return nil
            }
            return state.kept.remove(at: index).reader
        }
        if found != nil { Self.hits.increment() }
        return found
    }

    /// Caches a reader at the token of its last page. It replaces another of the same feed, and the oldest one if the
    /// cache is full.
    func keep(_ reader: FeedReader, _ identity: FeedIdentity, at token: String) async {
        let kept = Kept(identity: identity, token: token, reader: reader)
        let (last, mustSweep) = state.withLock { state in
            let same = state.kept.firstIndex { $0.identity == identity }
            let last = same ?? (state.kept.count == Self.readersMax ? 0 : nil)
            let reader = last.map { state.kept.remove(at: $0).reader }
            state.kept.append(kept)
            defer { state.isSweeping = true }
            return (reader, !state.isSweeping)
        }
        await last?.close()
        if mustSweep { Task { await sweep() } }
    }

    /// Closes those that nobody came back to, until none is left.
    private func sweep() async {
        while true {
            try? await Time.sleep(for: Self.sweepPause)
            let (old, isLast) = state.withLock { state in
                for index in state.kept.indices { state.kept[index].sweeps += 1 }
                let old = state.kept.prefix { $0.sweeps > Self.sweepsMax }
                state.kept.removeFirst(old.count)
                if state.kept.isEmpty { state.isSweeping = false }
                return (old, state.kept.isEmpty)
            }
            for kept in old { await kept.reader.close() }
            if isLast { return }
        }
    }
}
