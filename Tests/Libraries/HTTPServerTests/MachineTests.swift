import Testing

@testable import HTTPServer

/// The pure parts, as values.
struct MachineTests {
    @Test func streamWakesItsConnectionOncePerSuspension() {
        var stream = StreamMachine(bufferBytesMaximum: 10)
        var bytes = [UInt8](repeating: 0, count: 4)
        func read() -> StreamMachine.Read { bytes.withUnsafeMutableBytes { stream.read(into: $0) } }
        check(read(), .suspend)
        check(stream.write([1, 2, 3, 4, 5, 6]), .accepted(wake: true))
        check(stream.write([7]), .accepted(wake: false))
        check(read(), .bytes(4))
        #expect(bytes == [1, 2, 3, 4])
        check(stream.write([8, 9, 10, 11, 12, 13, 14]), .accepted(wake: false))
        #expect(stream.buffered == 10)
        check(read(), .bytes(4))
        #expect(bytes == [5, 6, 7, 8])
        check(read(), .bytes(4))
        check(read(), .bytes(2))
        check(read(), .suspend)
        check(stream.write([]), .accepted(wake: false))
        check(stream.finish(), true)
        check(stream.finish(), false)
        check(read(), .end)
        check(stream.write([1]), .refused)
        check(stream.end(.clientLeft), false)
        #expect(stream.phase == .ended(.finished))
    }

    @Test func streamThatOverflowsIsOver() {
        var stream = StreamMachine(bufferBytesMaximum: 3)
        check(stream.write([1, 2, 3]), .accepted(wake: false))
        check(stream.write([4]), .overflowed(wake: false))
        #expect(stream.phase == .ended(.readerTooSlow))
        #expect(stream.buffered == 0)
        var bytes: [UInt8] = [0]
        check(bytes.withUnsafeMutableBytes { stream.read(into: $0) }, .failure)
        var suspended = StreamMachine(bufferBytesMaximum: 3)
        check(bytes.withUnsafeMutableBytes { suspended.read(into: $0) }, .suspend)
        check(suspended.write([1, 2, 3, 4]), .overflowed(wake: true))
    }

    @Test func exchangeIsWokenOnceAndTheFirstToWakeItDecides() {
        var exchange = ExchangeMachine()
        check(exchange.finish(HTTPResponse(status: 200)), .late)
        exchange.work(.held)
        #expect(exchange.isHeld)
        check(exchange.wait(), true)
        #expect(exchange.isHeld)
        check(exchange.clientLeft(), .wake)
        check(exchange.finish(HTTPResponse(status: 200)), .late)
        check(exchange.clientLeft(), .late)
        guard case .close = exchange.turn() else {
            Issue.record("a client that left is answered")
            return
        }
    }

    @Test func exchangeWhoseWorkIsDoneAtOnceIsNeverSuspended() {
        var exchange = ExchangeMachine()
        exchange.work(.later)
        #expect(!exchange.isHeld)
        check(exchange.finish(HTTPResponse(status: 201)), .noted)
        check(exchange.wait(), false)
        guard case .send(let response) = exchange.turn(), response.status == 201 else {
            Issue.record("the answer is not sent")
            return
        }
    }

    @Test func exchangeThatEndsBeforeItsAnswerWasTakenHandsItBack() {
        var exchange = ExchangeMachine()
        exchange.work(.later)
        check(exchange.wait(), true)
        check(exchange.finish(HTTPResponse(status: 200)), .wake)
        check(exchange.end()?.status, 200)
        check(exchange.end()?.status, nil)
    }

    @Test func deadlineOfAConnectionFollowsItsRequest() {
        var timeouts = HTTPServerTimeouts()
        timeouts.headers = .seconds(10)
        timeouts.body = .seconds(20)
        timeouts.idle = .seconds(60)
        timeouts.bodyBytesPerSecondMinimum = 100
        let start = ContinuousClock.now
        var deadline = ConnectionDeadline(opened: start, timeouts: timeouts)
        check(deadline.check(start + .seconds(9)), .inTime)
        deadline.requestLine(start + .seconds(9))
        check(deadline.check(start + .seconds(9)), .inTime)
        check(deadline.headersComplete(bodyFollows: true, start + .seconds(9)), true)
        check(deadline.check(start + .seconds(28)), .inTime)
        check(deadline.bodyArrived(bytes: 500), true)
        check(deadline.check(start + .seconds(33)), .inTime)
        check(deadline.bodyComplete(), true)
        check(deadline.check(start + .seconds(1000)), .inTime)
        deadline.answered(start + .seconds(1000))
        check(deadline.check(start + .seconds(1069)), .inTime)
        deadline.requestLine(start + .seconds(1069))
        check(deadline.check(start + .seconds(1078)), .inTime)
        check(deadline.check(start + .seconds(1079)), .answerTimedOut)
        check(deadline.check(start + .seconds(1080)), .inTime)
        check(deadline.headersComplete(bodyFollows: false, start + .seconds(1080)), false)
        check(deadline.bodyComplete(), false)
    }
}

/// `#expect` for what changes a value, which the macro cannot take apart.
private func check<Value: Equatable>(_ actual: Value, _ expected: Value, _ place: SourceLocation = #_sourceLocation) {
    #expect(actual == expected, sourceLocation: place)
}
