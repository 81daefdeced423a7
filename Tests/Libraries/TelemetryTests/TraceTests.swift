import Testing

@testable import Telemetry

/// Places in traces, and the spans that wait to be exported.
@Suite struct TraceTests {
    private static let trace = "4bf92f3577b34da6a3ce929d0e0e4736"
    private static let span = "00f067aa0ba902b7"

    @Test("a traceparent is read as the recommendation says, also one of a later version")
    func read() throws {
        for text in [
            "00-\(Self.trace)-\(Self.span)-01", "00-\(Self.trace)-\(Self.span)-ff",
            "cc-\(Self.trace)-\(Self.span)-01-what",
        ] {
            let parent = try #require(TraceParent(text))
            #expect(parent.isSampled && parent.context.traceID == Self.trace)
            #expect(TraceContext.digits(parent.context.span) == Self.span)
        }
        #expect(TraceParent("00-\(Self.trace)-\(Self.span)-00")?.isSampled == false)
        #expect(TraceParent("00-\(Self.trace)-\(Self.span)-02")?.isSampled == false)
    }

    @Test(
        "an invalid traceparent is ignored",
        arguments: [
            "", "00", "00-\(trace)-\(span)", "00-\(trace)-\(span)-01-more", "ff-\(trace)-\(span)-01",
            "00-\(trace.uppercased())-\(span)-01", "00-00000000000000000000000000000000-\(span)-01",
            "00-\(trace)-0000000000000000-01", "00-\(trace)0-\(span)-01", "00-\(trace)-\(span)-1",
            "0x-\(trace)-\(span)-01",
            "00-+bf92f3577b34da6a3ce929d0e0e4736-\(span)-01", " 00-\(trace)-\(span)-01",
        ])
    func refused(text: String) { #expect(TraceParent(text) == nil) }

    @Test("a place comes back from a message as it was, and nothing else is one")
    func carried() throws {
        let context = TraceContext(trace: (0x0102_0304_0506_0708, .max), span: 9)
        #expect(context.bytes.count == 24 && context.bytes.first == 1)
        #expect(TraceContext(context.bytes) == context)
        #expect(TraceContext([]) == nil && TraceContext(Array(repeating: 1, count: 23)) == nil)
    }

    @Test("a stage's span is the same when the work is done again, and another one at another place")
    func repeated() throws {
        let trace = TraceContext(trace: (1, 2), span: 3).bytes
        func span(_ offset: Int64) throws -> Span {
            try #require(Span(stage: "match", of: trace, place: (4, offset), start: 0, end: 1))
        }
        #expect(try span(7).context == span(7).context && span(7).parent == 3)
        #expect(try span(7).context != span(8).context)
    }

    @Test("a tracer that is off keeps nothing, and one that is on drops spans over its bound")
    func bounded() throws {
        let tracer = Tracer()
        let header = "00-\(Self.trace)-\(Self.span)-01"
        let span = Span("x", .server, TraceContext(trace: (1, 2), span: 3), parent: 0, start: 0, end: 1)
        #expect(tracer.parent(header) == nil)
        tracer.record(span)
        #expect(tracer.take(atMost: 1).isEmpty)
        tracer.start(ratio: 0)
        #expect(tracer.parent(header)?.traceID == Self.trace)
        #expect(tracer.parent("00-\(Self.trace)-\(Self.span)-00") == nil && tracer.parent(nil) == nil)
        for _ in 0..<Tracer.spansMax + 10 { tracer.record(span) }
        #expect(tracer.take(atMost: 100).count == 100)
        #expect(tracer.take(atMost: .max).count == Tracer.spansMax - 100)
        tracer.start(ratio: 1)
        #expect(tracer.parent(nil)?.span == 0 && tracer.parent("nonsense") != nil)
        // A flag that is not set stays so.
        #expect(tracer.parent("00-\(Self.trace)-\(Self.span)-00") == nil)
    }

    @Test("a line of the log names the trace that it is written in")
    func logged() {
        let context = TraceContext(trace: (1, 2), span: 3)
        let line = LogLine.render(.info, "m", ["k": 1], milliseconds: 5, trace: context)
        #expect(
            String(decoding: line, as: UTF8.self)
                == #"{"time":5,"level":"info","message":"m","k":1,"trace":"00000000000000010000000000000002"}"# + "\n")
    }
}
