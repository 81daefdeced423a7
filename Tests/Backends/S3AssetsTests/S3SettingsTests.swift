import Foundation
import TestSupport
import Testing

@testable import S3Assets

/// Settings of buckets and their access keys.
@Suite struct S3SettingsTests {
    @Test(
        "a place is a bucket and a prefix",
        arguments: [
            ("s3://photos", "photos", ""), ("s3://photos/", "photos", ""), ("s3://photos/a", "photos", "a"),
            ("s3://my.photos-1/a/B_c.d/", "my.photos-1", "a/B_c.d"),
        ])
    func places(text: String, bucket: String, prefix: String) throws {
        let location = try S3Location(text)
        #expect(location.bucket == bucket && location.prefix == prefix)
        #expect(try S3Location("\(location)") == location)
    }

    @Test(
        "a place that is none is refused",
        arguments: [
            "s3:", "s3://", "s3:///a", "s3://ab", "s3://Photos", "s3://photos_1", "s3://-photos", "s3://photos-",
            "s3://photos//a", "s3://photos/../a", "s3://photos/.", "s3://photos/a b", "s3://photos/a?b",
            "s3://photos/ä",
            "s3://photos/a%20b", "s3://user@photos", "s3://photos:9000", "s3://" + String(repeating: "a", count: 64),
        ])
    func noPlaces(text: String) {
        #expect(S3Location.isNamed(by: text))
        #expect(throws: S3SettingsError.self) { try S3Location(text) }
    }

    @Test(
        "an address has the bucket in the path or in front of the host",
        arguments: [
            ("", "", false, "https://photos.s3.us-east-1.amazonaws.com/k"),
            ("", "eu-central-1", true, "https://s3.eu-central-1.amazonaws.com/photos/k"),
            ("http://minio:9000", "", true, "http://minio:9000/photos/k"),
            ("https://R2.Example.com/", "auto", false, "https://photos.r2.example.com/k"),
            ("https://[::1]:9000", "", true, "https://[::1]:9000/photos/k"),
        ])
    func addresses(url: String, region: String, isPathStyle: Bool, expected: String) throws {
        let endpoint = try S3Endpoint(url: url, region: region, isPathStyle: isPathStyle)
        #expect(endpoint.url(of: "k", in: "photos") == expected)
    }

    @Test(
        "an address that cannot be reached or signed is refused",
        arguments: [
            ("minio:9000", "", true), ("ftp://minio", "", true), ("https://minio/path", "", true),
            ("https://user:secret@minio", "", true), ("https://minio?x", "", true),
            ("http://127.0.0.1:9000", "", false),
            ("http://[::1]:9000", "", false), ("", "eu central", true), ("", "eu:1", true), ("", "a/b", true),
        ])
    func noAddresses(url: String, region: String, isPathStyle: Bool) {
        let error = #expect(throws: S3SettingsError.self) {
            try S3Endpoint(url: url, region: region, isPathStyle: isPathStyle)
        }
        #expect(error?.description.contains("us-east") != true)
    }

    @Test("no certificate is good for a bucket with a dot in front of a host")
    func dots() throws {
        let secure = try S3Endpoint(url: "", region: "", isPathStyle: false)
        #expect(throws: S3SettingsError.self) { try secure.check("my.photos") }
        try secure.check("photos")
        try S3Endpoint(url: "", region: "", isPathStyle: true).check("my.photos")
    }

    @Test(
        "a file of credentials is read as other tools read it",
        arguments: [
            "[default]\naws_access_key_id = A\naws_secret_access_key = s/+=\n",
            "aws_access_key_id=A\naws_secret_access_key=s/+=",
            "# mine\n\n[other]\naws_access_key_id = B\nx\u{3d}y\n[default]\r\nAWS_ACCESS_KEY_ID=A\r\naws_secret_access_key = s/+= \r\nregion = x\n[more]\naws_secret_access_key = no\n",
            ";c\n[ default ]\naws_secret_access_key=s/+=\naws_access_key_id=A\naws_session_token=\n",
        ])
    func credentials(text: String) throws {
        #expect(try S3Key(credentials: text, path: "f") == S3Key(accessKey: "A", secretKey: "s/+="))
    }

    @Test("the token of a temporary key is read")
    func tokens() throws {
        let text = "aws_access_key_id=A\naws_secret_access_key=s\naws_session_token=t=="
        let key = S3Key(accessKey: "A", secretKey: "s", sessionToken: "t==")
        #expect(try S3Key(credentials: text, path: "f") == key)
        let variables = ["AWS_ACCESS_KEY_ID": "A", "AWS_SECRET_ACCESS_KEY": "s", "AWS_SESSION_TOKEN": "t=="]
        #expect(try S3Key(environment: variables) == key)
        #expect(try S3Key(environment: ["PATH": "x"]) == nil)
    }

    @Test(
        "a file without a key is refused, and no value is shown",
        arguments: [
            "", "[default]\naws_access_key_id = SECRET",
            "[other]\naws_access_key_id=SECRET\naws_secret_access_key=SECRET",
            "SECRET", "aws_access_key_id=SECRET\naws_secret_access_key=",
            "aws_access_key_id=SECRET\naws_secret_access_key=SECRET SECRET",
        ])
    func noCredentials(text: String) {
        let error = #expect(throws: S3SettingsError.self) { try S3Key(credentials: text, path: "/the/file") }
        #expect(error?.description.contains("SECRET") == false)
        #expect(error?.description.contains("/the/file") == true)
    }

    @Test("half a key in the environment, and none at all, are refused")
    func halves() {
        #expect(throws: S3SettingsError.self) { try S3Key(environment: ["AWS_ACCESS_KEY_ID": "A"]) }
        #expect(throws: S3SettingsError.self) { try S3Credentials.find(file: "", environment: [:]) }
        #expect(throws: S3SettingsError.self) {
            try S3Credentials.find(file: "/nowhere/credentials", environment: ["AWS_ACCESS_KEY_ID": "A"])
        }
    }

    @Test(
        "a range is read strictly",
        arguments: [
            ("bytes 0-9/10", [0, 10, 10]), ("bytes 5-5/10", [5, 1, 10]), ("bytes 0-10/10", nil), ("bytes 9-5/10", nil),
            ("bytes */10", nil), ("0-9/10", nil), ("bytes 0-9/*", nil), ("bytes -9/10", nil), ("bytes 0-9", nil),
            ("bytes 0-99999999999999999999/10", nil), ("bytes +0-9/10", nil), ("bytes 0-9/10/10", nil),
        ] as [(String, [Int64]?)])
    func ranges(text: String, expected: [Int64]?) {
        let part = S3Part(contentRange: text)
        #expect(part.map { [$0.offset, $0.count, $0.total] } == expected)
    }

    @Test("attempts end after five, and after their time")
    func retries() {
        for share in [0.0, 0.5, 1] {
            var retries = S3Retries()
            let pauses = (0..<5).map { _ in retries.next(after: .zero, share: share) }
            #expect(pauses.dropLast().allSatisfy { $0 != nil } && pauses.last == .some(nil))
        }
        var late = S3Retries()
        #expect(late.next(after: .seconds(15), share: 0) == nil)
    }

    @Test(
        "the code of an answer is read from any body, and is letters and digits",
        arguments: [
            ("<Error><Code>SlowDown</Code></Error>", "SlowDown"), ("", ""), ("<Code>", ""), ("<html>no</html>", ""),
            ("<Code>a\nb</Code>", "a"), ("<Code>\u{1b}[2J</Code>", ""),
            ("<Code>" + String(repeating: "x", count: 5000), ""),
        ])
    func codes(text: String, code: String) {
        #expect(S3Refusal.code(of: Array(text.utf8)) == code)
        #expect(S3Refusal.code(of: [0xFF, 0xFE] + Array(text.utf8)) == code)
    }
}
