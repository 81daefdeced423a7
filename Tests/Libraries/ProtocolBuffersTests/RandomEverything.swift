import ProtocolBuffers
import TestSupport

/// Messages that use every field, chosen by a seed.
struct RandomEverything {
    private var random: SeededGenerator

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    mutating func message(depth: Int = 3) -> Everything {
        var message = Everything()
        numbers(into: &message)
        optionals(into: &message)
        lists(into: &message)
        maps(into: &message)
        if sometimes() { message.content = content(depth: depth) }
        nesting(into: &message, depth: depth)
        return message
    }

    private mutating func numbers(into message: inout Everything) {
        if sometimes() { message.int32Value = int() }
        if sometimes() { message.int64Value = int() }
        if sometimes() { message.uint32Value = int() }
        if sometimes() { message.uint64Value = int() }
        if sometimes() { message.sint32Value = int() }
        if sometimes() { message.sint64Value = int() }
        if sometimes() { message.fixed64Value = int() }
        if sometimes() { message.sfixed64Value = int() }
        if sometimes() { message.doubleValue = double() }
        if sometimes() { message.boolValue = true }
        if sometimes() { message.stringValue = text() }
        if sometimes() { message.bytesValue = bytes() }
        if sometimes() { message.weather = weather() }
        if sometimes() { message.shade = Shade(rawValue: int()) }
        if sometimes() { message.point = point() }
        if sometimes() { message.snakeCaseName = text() }
        if sometimes() { message.default = text() }
        if sometimes() { message.class = int() }
        if sometimes() { message.type = int() }
        if sometimes() { message.`init` = int() }
    }

    private mutating func optionals(into message: inout Everything) {
        if sometimes() { message.optionalInt32 = int() }
        if sometimes() { message.optionalInt64 = int() }
        if sometimes() { message.optionalDouble = double() }
        if sometimes() { message.optionalBool = sometimes() }
        if sometimes() { message.optionalString = text() }
        if sometimes() { message.optionalBytes = bytes() }
        if sometimes() { message.optionalWeather = weather() }
        if sometimes() { message.optionalPoint = point() }
    }

    private mutating func lists(into message: inout Everything) {
        message.int32s = several { $0.int() }
        message.int64s = several { $0.int() }
        message.uint32s = several { $0.int() }
        message.uint64s = several { $0.int() }
        message.sint32s = several { $0.int() }
        message.sint64s = several { $0.int() }
        message.fixed64s = several { $0.int() }
        message.sfixed64s = several { $0.int() }
        message.doubles = several { $0.double() }
        message.bools = several { $0.sometimes() }
        message.strings = several { $0.text() }
        message.bytesList = several { $0.bytes() }
        message.weathers = several { $0.weather() }
        message.points = several { $0.point() }
    }

    private mutating func maps(into message: inout Everything) {
        for _ in 0..<size() { message.counts[text()] = int() }
        for _ in 0..<size() { message.labels[text()] = text() }
        for _ in 0..<size() { message.blobs[text()] = bytes() }
        for _ in 0..<size() { message.forecasts[text()] = weather() }
        for _ in 0..<size() { message.places[text()] = point() }
        for _ in 0..<size() { message.weights[text()] = double() }
    }

    private mutating func content(depth: Int) -> Everything.Content {
        switch Int.random(in: 0..<8, using: &random) {
        case 0: .number(int())
        case 1: .text(text())
        case 2: .blob(bytes())
        case 3: .flag(sometimes())
        case 4: .ratio(double())
        case 5: .sky(weather())
        case 6: .location(point())
        default: depth > 0 ? .inner(message(depth: depth - 1)) : .number(0)
        }
    }

    private mutating func nesting(into message: inout Everything, depth: Int) {
        if sometimes() { message.deepest = .init(depth: int(), nothing: sometimes() ? Empty() : nil) }
        if sometimes() { message.predicate = predicate(depth: 4) }
        guard depth > 0, sometimes() else { return }
        message.again = self.message(depth: depth - 1)
        if sometimes() { message.children = [self.message(depth: 0), Everything()] }
        if sometimes() { message.named[text()] = self.message(depth: 0) }
    }

    private mutating func predicate(depth: Int) -> Predicate {
        guard depth > 0 else { return Predicate(node: .field(text())) }
        switch Int.random(in: 0..<3, using: &random) {
        case 0: return Predicate(node: .field(text()))
        case 1: return Predicate(node: .not(predicate(depth: depth - 1)))
        default:
            let children = several { $0.predicate(depth: depth - 2) }
            return Predicate(node: .all(.init(predicates: children, first: predicate(depth: depth - 1))))
        }
    }

    private mutating func sometimes() -> Bool { Bool.random(using: &random) }

    private mutating func size() -> Int { Int.random(in: 0...3, using: &random) }

    private mutating func several<T>(_ make: (inout RandomEverything) -> T) -> [T] {
        (0..<size()).map { _ in make(&self) }
    }

    /// Numbers of every length: a random count of random bits, and the extremes.
    private mutating func int<T: FixedWidthInteger>() -> T {
        switch Int.random(in: 0..<8, using: &random) {
        case 0: .min
        case 1: .max
        default: T(truncatingIfNeeded: random.next() >> UInt64.random(in: 0..<64, using: &random))
        }
    }

    private mutating func double() -> Double {
        [0, -0.0, 0.1, -1.5, .infinity, -.infinity, .greatestFiniteMagnitude, .leastNonzeroMagnitude, 3]
            .randomElement(using: &random) ?? 0
    }

    private mutating func text() -> String {
        let pieces = ["", "a", "Grüße", "e\u{301}", "é", "日本", "👩‍👩‍👧", "\0", "\"\\\n", String(repeating: "x", count: 130)]
        return (0..<Int.random(in: 0...2, using: &random)).map { _ in pieces.randomElement(using: &random) ?? "" }
            .joined()
    }

    private mutating func bytes() -> [UInt8] { several { UInt8.random(in: .min ... .max, using: &$0.random) } }

    private mutating func weather() -> Everything.Weather {
        [.unspecified, .clear, .heavyRain, .belowZero, .default, .unrecognized(7), .unrecognized(.min)]
            .randomElement(using: &random) ?? .clear
    }

    private mutating func point() -> Everything.Point { .init(x: int(), y: int(), name: text()) }
}
