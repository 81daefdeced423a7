import Testing

@testable import HTTPClient

struct StreamWindowTests {
    @Test("the window begins at one and is doubled up to its maximum", arguments: [1, 2, 200, 500])
    func growth(maximum: Int) {
        var window = StreamWindow(maximum: maximum)
        var sizes = [window.size]
        for _ in 0..<12 {
            window.answered()
            sizes.append(window.size)
        }
        #expect(sizes == (0...12).map { min(maximum, 1 << $0) })
        window.failed()
        #expect(window.size == 1)
    }

    @Test("a new connection begins at one, whatever the last had")
    func newConnection() {
        var window = StreamWindow(maximum: 200)
        func admits(on connection: Int) -> Bool { window.admit(on: connection) }
        #expect([admits(on: 1), admits(on: 1)] == [true, false])
        window.answered()
        window.leave(1)
        #expect(window.size == 2)
        #expect([admits(on: 1), admits(on: 1), admits(on: 1)] == [true, true, false])
        #expect([admits(on: 2), admits(on: 2)] == [true, false])
        // Those of the last connection take no place on this one.
        window.leave(1)
        window.leave(1)
        #expect(!admits(on: 2))
        window.leave(2)
        #expect(admits(on: 2))
    }
}
