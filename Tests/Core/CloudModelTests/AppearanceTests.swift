import CloudModel
import Testing

/// Names of fields become what a notification shows (docs/cloudkit.md#notificationinfo).
@Suite struct AppearanceTests {
    private func fields(_ values: [String: FieldValue]) -> RecordFields {
        var fields = RecordFields()
        for (name, value) in values { fields[FieldName(trusted: name)] = value }
        return fields
    }

    private func names(_ names: String...) -> [FieldName] { names.map { FieldName(trusted: $0) } }

    @Test(
        arguments: [
            (.string("ä"), "ä"), (.int64(.min), "-9223372036854775808"), (.double(0.1), "0.1"), (.double(3), "3.0"),
            (.timestamp(Timestamp(milliseconds: 1_795_284_202_123)), "2026-11-21T18:03:22.123Z"),
            (.timestamp(Timestamp(milliseconds: -1)), "1969-12-31T23:59:59.999Z"),
            // A value that is neither string, number nor date shows nothing, and keeps its place.
            (.bytes([1]), ""), (.stringList(["x"]), ""), (nil, ""),
            (.reference(Reference(recordName: RecordName(trusted: "r"), action: .none)), ""),
        ] as [(FieldValue?, String)])
    func argumentsAreTheValues(value: FieldValue?, text: String) {
        var record = fields(["other": .string("o")])
        record[FieldName(trusted: "f")] = value
        var texts = AlertTexts(of: record)
        let appearance = Appearance<FieldName>(
            alert: AlertText("as it is", localizationKey: "K", localizationArgs: names("f", "other", "f")),
            title: AlertText(localizationKey: "T", localizationArgs: names("f")),
            subtitle: AlertText(localizationKey: "S", localizationArgs: names("other")))
        let shown = appearance.resolved(with: &texts)
        #expect(shown.alert == AlertText("as it is", localizationKey: "K", localizationArgs: [text, "o", text]))
        #expect(shown.title.localizationArgs == [text] && shown.subtitle.localizationArgs == ["o"])
    }

    /// docs/choices.md, 20 of docs/choices.md.
    @Test(
        arguments: [
            (nil, nil), ("literal", "literal"), ("s", "value"), ("n", "5"), ("b", "b"), ("", ""),
        ] as [(String?, String?)])
    func aCollapseIdentifierMayNameAField(given: String?, shown: String?) {
        let record = fields(["s": .string("value"), "n": .int64(5), "b": .bytes([1])])
        var texts = AlertTexts(of: record)
        // The second one finds the texts.
        for _ in 0..<2 {
            #expect(Appearance<FieldName>(collapseID: given).resolved(with: &texts).collapseID == shown)
        }
    }

    @Test func longValuesAreCutWhereAnyTextEnds() {
        let record = fields(["s": .string(String(repeating: "x", count: 1 << 20))])
        let appearance = Appearance(alert: AlertText(localizationArgs: names("s")), collapseID: "s")
        var texts = AlertTexts(of: record)
        let shown = appearance.resolved(with: &texts)
        #expect(shown.alert.localizationArgs[0].utf8.count == Limits.alertCharactersMax)
        #expect(shown.collapseID?.utf8.count == Limits.alertCharactersMax)
    }

    @Test(
        arguments: [
            ("", 0, ""), ("abc", 3, "abc"), ("abc", 2, "ab"), ("äöü", 2, "äö"),
            // No character in half, unless it is the first.
            ("ae\u{301}x", 2, "a"), ("ae\u{301}x", 3, "ae\u{301}"), ("e\u{301}\u{302}", 2, "e\u{301}"),
            ("a👩‍👩‍👧‍👦", 5, "a"), ("a\r\nb", 2, "a"),
        ])
    func textsAreCutBetweenCharacters(text: String, scalars: Int, cut: String) {
        let found = text.cut(to: scalars)
        #expect(Array(found.unicodeScalars) == Array(cut.unicodeScalars))
    }
}
