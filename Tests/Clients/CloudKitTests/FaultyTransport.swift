import FanfareCloudKit
import Foundation
import TestSupport

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A network that loses, cuts, garbles and repeats, by a seed.
final class FaultyTransport: FanfareTransport {
    private enum Fault: CaseIterable {
        case lostRequest, lostAnswer, cutAnswer, garbledAnswer, foreignAnswer, sentTwice, delayed, secondAnswer
    }

    private let transport: any FanfareTransport = URLSessionTransport()
    private let generator: Guarded<SeededGenerator>
    private let share: Double
    private let faults: [Fault]
    private let observe: @Sendable (FanfareRequest, Bool) -> Void
    let count = Guarded(0)

    /// - Parameters:
    ///   - share: the part of requests that something happens to.
    ///   - hasSecondAnswers: true to hand on also the answer to the second of two requests that are the same: of a save, a
    ///     conflict.
    ///   - observe: called with each request before it is sent, and with true if its answer does not arrive whole.
    init(
        seed: UInt64, share: Double, hasSecondAnswers: Bool = false,
        observe: @escaping @Sendable (FanfareRequest, Bool) -> Void = { _, _ in }
    ) {
        faults = Fault.allCases.filter { hasSecondAnswers || $0 != .secondAnswer }
        generator = Guarded(SeededGenerator(seed: seed))
        self.share = share
        self.observe = observe
    }

    private func fault() -> Fault? {
        let (share, faults) = (share, faults)
        let fault = generator.update { generator in
            Double.random(in: 0..<1, using: &generator) < share
                ? faults.randomElement(using: &generator) : nil
        }
        if fault != nil { count.update { $0 += 1 } }
        return fault
    }

    func send(_ request: FanfareRequest) async throws -> FanfareResponse {
        let fault = fault()
        let isWhole: [Fault?] = [nil, .sentTwice, .delayed, .secondAnswer]
        observe(request, !isWhole.contains(fault))
        switch fault {
        case nil: return try await transport.send(request)
        case .lostRequest: throw URLError(.networkConnectionLost)
        case .lostAnswer:
            _ = try await transport.send(request)
            throw URLError(.networkConnectionLost)
        case .cutAnswer:
            var answer = try await transport.send(request)
            answer.body.removeLast(answer.body.count / 2 + 1)
            return answer
        case .garbledAnswer:
            var answer = try await transport.send(request)
            answer.body = Array(#"{"records": 5, "zones": [{}], "notifications": "#.utf8) + answer.body + [0x7d]
            return answer
        case .foreignAnswer:
            _ = try await transport.send(request)
            return FanfareResponse(status: 502, body: Array("<html>Bad Gateway</html>".utf8))
        case .sentTwice:
            // The copy comes later, and its answer to nobody.
            let answer = try await transport.send(request)
            _ = try await transport.send(request)
            return answer
        case .secondAnswer:
            _ = try await transport.send(request)
            return try await transport.send(request)
        case .delayed:
            let answer = try await transport.send(request)
            for _ in 0..<10_000 { await Task.yield() }
            return answer
        }
    }

    func stream(_ request: FanfareRequest) async throws -> FanfareStream {
        let isLost = fault() == .lostRequest
        if isLost { throw URLError(.networkConnectionLost) }
        let stream = try await transport.stream(request)
        let (share, pieces) = (share, StreamPieces(stream))
        return FanfareStream(status: stream.status) { [generator, count] in
            guard var piece = try await pieces.next(), !piece.isEmpty else { return nil }
            let size = piece.count
            let cut = generator.update { generator in
                Double.random(in: 0..<1, using: &generator) < share
                    ? Int.random(in: 0..<size, using: &generator) : nil
            }
            guard let cut, !pieces.isCut.value else { return pieces.isCut.value ? nil : piece }
            count.update { $0 += 1 }
            pieces.isCut.update { $0 = true }
            piece.removeLast(piece.count - cut)
            return piece.isEmpty ? nil : piece
        }
    }
}

/// The pieces of a stream that may be cut.
private actor StreamPieces {
    private var iterator: FanfareStream.Iterator
    nonisolated let isCut = Guarded(false)

    init(_ stream: FanfareStream) { iterator = stream.makeAsyncIterator() }

    func next() async throws -> [UInt8]? {
        var iterator = iterator
        return try await iterator.next()
    }
}
