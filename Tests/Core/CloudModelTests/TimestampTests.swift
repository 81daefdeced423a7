import CloudModel
import Testing

@Suite struct TimestampTests {
    @Test(arguments: [
        ("1970-01-01T00:00:00Z", 0), ("2026-11-21T19:20:31Z", 1_795_288_831_000),
        ("2024-02-29T23:59:59.5Z", 1_709_251_199_500),
        ("2000-03-01T00:00:00Z", 951_868_800_000),
    ])
    func datesAreRead(text: String, milliseconds: Int64) {
        let time = Timestamp(milliseconds: milliseconds)
        #expect(Timestamp(iso8601: text) == time)
        if !text.contains(".") { #expect(time.iso8601 == text.dropLast() + ".000Z") }
    }

    @Test(arguments: [
        "", "2026-11-21", "2026-11-21T19:20:31", "2026-11-21T19:20:31+00:00", "2026-13-21T19:20:31Z",
        "2026-02-29T00:00:00Z",
        "2026-11-21T24:00:00Z", "2026-11-21 19:20:31Z", "2026-11-21T19:20:31.Z", "2026-11-21T19:20:31,5Z",
        "+026-11-21T19:20:31Z",
    ])
    func otherTextsAreNoDates(text: String) { #expect(Timestamp(iso8601: text) == nil) }
}
