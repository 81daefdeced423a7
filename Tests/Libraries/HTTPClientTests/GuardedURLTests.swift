import Testing

@testable import HTTPClient

/// The URLs of users that may be requested.
struct GuardedURLTests {
    static let everyName = OutgoingGuard(hosts: ["*"])
    static let development = OutgoingGuard(hosts: ["*"], allowsLoopback: true)

    static func defect(_ text: String, _ guarding: OutgoingGuard = everyName) -> GuardedURL.Defect? {
        do throws(GuardedURL.Defect) {
            _ = try guarding.check(text)
            return nil
        } catch {
            return error
        }
    }

    @Test(
        "URLs get one spelling",
        arguments: [
            ("https://fcm.googleapis.com/fcm/send/a:b-c_d", "https://fcm.googleapis.com/fcm/send/a:b-c_d"),
            ("HTTPS://FCM.GoogleApis.COM", "https://fcm.googleapis.com/"),
            (
                "https://updates.push.services.mozilla.com:443/wpush/v2/a%2Fb",
                "https://updates.push.services.mozilla.com/wpush/v2/a%2Fb"
            ),
            ("https://web.push.apple.com?a=@b", "https://web.push.apple.com/?a=@b"),
            (
                "https://wns2-par02p.notify.windows.com/w/?token=a%3d",
                "https://wns2-par02p.notify.windows.com/w/?token=a%3d"
            ),
        ])
    func spelling(text: String, canonical: String) throws {
        let url = try OutgoingGuard().check(text)
        #expect(url.text == canonical)
        #expect(url.text.hasPrefix(url.origin + "/"))
    }

    @Test(
        "hostile spellings are refused",
        arguments: [
            // Schemes.
            ("http://a.example/", .scheme), ("ftp://a.example/", .scheme), ("file:///etc/passwd", .scheme),
            ("gopher://a.example/", .scheme), ("a.example/", .scheme), ("//a.example/", .scheme), ("", .scheme),
            ("https:/a.example/", .scheme), ("https:a.example", .scheme), ("javascript:https://a.example", .scheme),
            // Credentials and what readers take for a host in different ways.
            ("https://user:pw@a.example/", .credentials), ("https://a.example@127.0.0.1/", .credentials),
            ("https://a.example:443@127.0.0.1/", .credentials), ("https://@a.example/", .credentials),
            ("https://a.example\\@127.0.0.1/", .characters), ("https://127.0.0.1\\.a.example/", .characters),
            ("https://a.example#@127.0.0.1/", .characters), ("https://a.example/#x", .characters),
            ("https://[::1]a.example/", .port), ("https://a.example[::1]/", .host),
            // Line ends, blanks, control characters.
            ("https://a.example/\r\nHost: b", .characters), ("https://a.example/\n", .characters),
            ("https://a.example/a b", .characters), ("https://a.example\u{0}.b.example/", .characters),
            ("https://a.example\t/", .characters), (" https://a.example/", .characters),
            ("https://a.example/\u{7F}", .characters), ("https://%0d%0ab.example/", .host),
            // Names in other scripts, look-alikes and percent signs.
            ("https://bücher.example/", .characters), ("https://а.example/", .characters),
            ("https://a。example/", .characters), ("https://１２７.0.0.1/", .characters),
            ("https://①.example/", .characters),
            ("https://a%2eexample/", .host), ("https://%6cocalhost/", .host),
            // Addresses in all their forms.
            ("https://127.0.0.1/", .host), ("https://10.0.0.1/", .host), ("https://8.8.8.8/", .host),
            ("https://127.1/", .host), ("https://127.0.1/", .host), ("https://2130706433/", .host),
            ("https://0x7f.1/", .host), ("https://0x7f000001/", .host), ("https://0x7f.0x0.0x0.0x1/", .host),
            ("https://0177.0.0.1/", .host), ("https://017700000001/", .host), ("https://0/", .host),
            ("https://0.0.0.0/", .host), ("https://127.0.0.1./", .host), ("https://0x7f.1./", .host),
            ("https://1.2.3.4.5/", .host), ("https://999.999.999.999/", .host), ("https://a.0x7f/", .host),
            ("https://a.1/", .host), ("https://[::1]/", .host), ("https://[::]/", .host),
            ("https://[::ffff:127.0.0.1]/", .host), ("https://[::ffff:7f00:1]/", .host),
            ("https://[64:ff9b::7f00:1]/", .host), ("https://[fe80::1%25eth0]/", .host), ("https://[fd00::1]/", .host),
            ("https://[2606:4700::1111]/", .host), ("https://::1/", .port), ("https://[::1/", .port),
            // Names that are none.
            ("https://localhost/", .host), ("https://LOCALHOST/", .host), ("https://localhost./", .host),
            ("https://a/", .host), ("https://a.example./", .host), ("https://a..example/", .host),
            ("https://.a.example/", .host), ("https://-a.example/", .host), ("https://a-.example/", .host),
            ("https://a_b.example/", .host), ("https://*.example/", .host), ("https:///", .host), ("https://", .host),
            ("https://?a.example", .host), ("https://:443/", .host), ("https://a.example;b.example/", .host),
            ("https://\(String(repeating: "a", count: 64)).example/", .host),
            ("https://\(String(repeating: "a.", count: 127))example/", .host),
            // Ports.
            ("https://a.example:80/", .port), ("https://a.example:0/", .port), ("https://a.example:/", .port),
            ("https://a.example:0443/", .port), ("https://a.example:65979/", .port), ("https://a.example:+443/", .port),
            ("https://a.example:443:443/", .port), ("https://a.example:４４３/", .characters),
            ("https://a.example:4 43/", .characters), ("https://a.example:99999999999999999999/", .port),
            // Length.
            ("https://a.example/\(String(repeating: "a", count: 2031))", .tooLong),
        ] as [(String, GuardedURL.Defect)])
    func hostile(text: String, defect: GuardedURL.Defect) {
        #expect(Self.defect(text) == defect, "\(text)")
    }

    @Test("a URL of the greatest length is allowed")
    func length() { #expect(Self.defect("https://a.example/\(String(repeating: "a", count: 2030))") == nil) }

    @Test(
        "a host is allowed by its name, or by those above it",
        arguments: [
            ("fcm.googleapis.com", true), ("web.push.apple.com", true), ("a.b.push.apple.com", true),
            ("push.apple.com", false), ("evilpush.apple.com", false), ("web.push.apple.com.evil.example", false),
            ("fcm.googleapis.com.evil.example", false), ("a.fcm.googleapis.com", false), ("googleapis.com", false),
            ("xn--fcm.googleapis.com", false), ("example.org", false), ("notify.windows.com", false),
        ])
    func hosts(host: String, isAllowed: Bool) {
        #expect(Self.defect("https://\(host)/", OutgoingGuard()) == (isAllowed ? nil : .hostNotAllowed))
    }

    @Test("names of other scripts are compared as they are in DNS")
    func punycode() {
        #expect(Self.defect("https://xn--bcher-kva.example/") == nil)
        #expect(
            Self.defect("https://xn--bcher-kva.example/", OutgoingGuard(hosts: ["bucher.example"])) == .hostNotAllowed)
    }

    @Test("further ports are those of the list")
    func ports() {
        let guarding = OutgoingGuard(hosts: ["*"], ports: [8443])
        #expect(Self.defect("https://a.example:8443/", guarding) == nil)
        #expect(Self.defect("https://a.example/", guarding) == nil)
        #expect(Self.defect("https://a.example:8080/", guarding) == .port)
    }

    @Test(
        "development may use this machine, and nothing else by http",
        arguments: [
            ("http://127.0.0.1:8080/a", nil), ("http://localhost:8080/", nil), ("https://localhost:9443/", nil),
            ("http://[::1]:8080/", nil), ("http://localhost", nil),
            ("http://a.example/", .scheme), ("http://127.0.0.2/", .host), ("http://10.0.0.1/", .host),
            ("https://127.1/", .host), ("https://[::ffff:127.0.0.1]/", .host), ("https://0.0.0.0/", .host),
            ("http://localhost.a.example/", .scheme), ("https://a.example:8080/", .port),
        ] as [(String, GuardedURL.Defect?)])
    func development(text: String, defect: GuardedURL.Defect?) {
        #expect(Self.defect(text, Self.development) == defect, "\(text)")
    }
}
