import FileSystem
import Foundation
import JSON
import Settings
import TestSupport
import Testing

@testable import fanfare

@Suite("Destination of notifications") struct NotificationSinkTests {
    private let folder = TemporaryFolder()

    private var output: Configuration {
        var configuration = Configuration()
        configuration.following.output = folder.path("notifications")
        return configuration
    }

    private func written() throws -> String {
        String(decoding: try Files.read(folder.path("notifications")), as: UTF8.self)
    }

    private func note(_ number: Int64) -> [UInt8] { Array("{\"n\":\(number)}".utf8) }

    @Test("an output file carries the token in the last line of each page")
    func pages() throws {
        var sink = try NotificationSink(output)
        #expect(sink.token == nil)
        try sink.take([note(1), note(2)], token: "a")
        try sink.take([note(3)], token: "b")
        #expect(
            try written() == """
                {"n":1}
                {"n":2,"serverChangeToken":"a"}
                {"n":3,"serverChangeToken":"b"}

                """)
    }

    @Test(
        "lines after the last token are cut off at the start",
        arguments: ["", "{\"n\":3}\n", "{\"n\":3}\n{\"n\":4,\"serverCh", "{\"n\":4,\"serverChangeToken\":\"b\"}"])
    func recovery(tail: String) throws {
        let whole = "{\"n\":1}\n{\"n\":2,\"serverChangeToken\":\"a\"}\n"
        try Files.replace(folder.path("notifications"), with: Array((whole + tail).utf8))
        var sink = try NotificationSink(output)
        #expect(sink.token == "a")
        #expect(try written() == whole)
        try sink.take([note(3)], token: "b")
        #expect(try written() == whole + "{\"n\":3,\"serverChangeToken\":\"b\"}\n")
        #expect(try NotificationSink(output).token == "b")
    }

    @Test("a file without a token, and any file from the start, is emptied")
    func emptied() throws {
        try Files.replace(folder.path("notifications"), with: Array("{\"n\":1}\nno JSON\n".utf8))
        #expect(try NotificationSink(output).token == nil)
        #expect(try written().isEmpty)
        var sink = try NotificationSink(output)
        try sink.take([note(1)], token: "a")
        var configuration = output
        configuration.following.fromStart = true
        #expect(try NotificationSink(configuration).token == nil)
        #expect(try written().isEmpty)
    }

    @Test("a token file keeps the token beside standard output")
    func tokenFile() throws {
        var configuration = Configuration()
        configuration.following.tokenFile = folder.path("token")
        var sink = try NotificationSink(configuration)
        #expect(sink.token == nil)
        try sink.take([], token: "a")
        #expect(try NotificationSink(configuration).token == "a")
        configuration.following.fromStart = true
        #expect(try NotificationSink(configuration).token == nil)
    }

    @Test("a limit shortens the last page and ends the run")
    func limit() throws {
        var configuration = output
        configuration.following.limit = 3
        var sink = try NotificationSink(configuration)
        #expect(sink.pageLimit == 3)
        try sink.take([note(1), note(2)], token: "a")
        #expect(!sink.isDone)
        #expect(sink.pageLimit == 1)
        try sink.take([note(3)], token: "b")
        #expect(sink.isDone)
    }

    @Test("an output file takes neither a token file nor text")
    func contradictions() {
        var withToken = output
        withToken.following.tokenFile = folder.path("token")
        #expect(throws: SettingsError.self) { try NotificationSink(withToken) }
        var asText = output
        asText.following.format = .text
        #expect(throws: SettingsError.self) { try NotificationSink(asText) }
    }
}
