import Testing
import TextForms

/// The format of `text/event-stream`, however its bytes are cut.
struct ServerSentEventsTests {
    static let cases: [(String, [ServerSentEvent])] = [
        ("data: a\n\n", [ServerSentEvent(data: "a")]),
        ("data: a\r\n\r\ndata: b\r\rdata: c\n\n", ["a", "b", "c"].map { ServerSentEvent(data: $0) }),
        ("\u{FEFF}data: ä€😀\n\n", [ServerSentEvent(data: "ä€😀")]),
        ("data: \u{FEFF}a\n\n", [ServerSentEvent(data: "\u{FEFF}a")]),
        ("data:a\ndata:  b\ndata\n\n", [ServerSentEvent(data: "a\n b\n")]),
        ("data\n\ndata:\n\n", [ServerSentEvent(data: ""), ServerSentEvent(data: "")]),
        (": comment\ndata: a\nunknown: x\nnonsense\n\n", [ServerSentEvent(data: "a")]),
        (
            "event: change\nid: 7\ndata: a\n\ndata: b\n\nid\ndata: c\n\n",
            [
                ServerSentEvent(id: "7", event: "change", data: "a"), ServerSentEvent(id: "7", data: "b"),
                ServerSentEvent(data: "c"),
            ]
        ),
        ("id: a\0b\ndata: a\n\n", [ServerSentEvent(data: "a")]),
        ("event: lost\n\ndata: a\n\n", [ServerSentEvent(data: "a")]),
        ("data: a\n\ndata: not complete\n", [ServerSentEvent(data: "a")]),
        ("\n\r\n\r: x\n\n", []),
        ("data: a:b\n\n", [ServerSentEvent(data: "a:b")]),
    ]

    @Test(arguments: cases)
    func eventsAreTheSameHoweverTheBytesAreCut(text: String, events: [ServerSentEvent]) throws {
        let bytes = Array(text.utf8)
        for cut in 0...bytes.count {
            var parser = ServerSentEvents()
            let first = try parser.feed(bytes[..<cut])
            let second = try parser.feed(bytes[cut...])
            #expect(first + second == events)
        }
        var parser = ServerSentEvents()
        #expect(try bytes.flatMap { try parser.feed([$0]) } == events)
    }

    @Test func reconnectionIsRemembered() throws {
        var parser = ServerSentEvents()
        #expect(parser.retry == nil)
        _ = try parser.feed(Array("retry: 1500\nretry: x\nretry: 1 \nretry:\nid: 3\n".utf8)[...])
        #expect(parser.retry == .milliseconds(1500))
        // An id counts when its event is complete.
        #expect(parser.lastEventID == "")
        #expect(try parser.feed(Array("\n".utf8)[...]).isEmpty)
        #expect(parser.lastEventID == "3")
    }

    @Test(arguments: ["data: 0123456789", "data: 0123\ndata: 4567\ndata: 8\n"])
    func eventThatDoesNotEndIsAnError(text: String) throws {
        var parser = ServerSentEvents(eventBytesMaximum: 10)
        #expect(throws: ServerSentEventTooLarge.self) {
            _ = try parser.feed(Array(text.utf8)[...])
        }
    }
}

extension ServerSentEvent {
    fileprivate init(id: String = "", event: String = "message", data: String) {
        self.init(id: id, event: event, data: Array(data.utf8))
    }
}
