import Testing

@testable import Telemetry

@Suite struct LogTests {
    @Test func aLineIsOneObjectOfJSONWhateverItsFieldsHold() {
        let line = LogLine.render(
            .warning, "a.b", ["text": "q\"\\\n\u{1}ü", "number": 7, "nan": Double.nan, "flag": true], milliseconds: 5)
        #expect(
            String(decoding: line, as: UTF8.self)
                == "{\"time\":5,\"level\":\"warning\",\"message\":\"a.b\",\"text\":\"q\\\"\\\\\\n\\u0001ü\",\"number\":7,\"nan\":\"nan\",\"flag\":true}\n"
        )
    }

    @Test("a terminal obeys nothing of a line's texts, and the line is the same JSON")
    func terminals() {
        let line = LogLine.render(.warning, "a", ["text": "\u{9b}2J\u{7f}\u{202e}\u{2028}é\n"], milliseconds: 5)
        #expect(
            String(decoding: line, as: UTF8.self).contains(#""text":"\u009b2J\u007f\u202e\u2028é\n""#))
    }

    @Test func fieldsOfALineBelowTheLevelAreNotEvaluated() {
        let before = Log.level
        Log.level = .error
        defer { Log.level = before }
        var isEvaluated = false
        func field() -> String {
            isEvaluated = true
            return ""
        }
        Log.info("quiet", ["field": field()])
        #expect(!isEvaluated)
    }
}
