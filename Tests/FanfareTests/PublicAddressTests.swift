import HTTPServer
import Settings
import TestSupport
import Testing

@testable import fanfare

/// Where clients reach the service, and under which names it answers (security review 3, finding 19).
@Suite struct PublicAddressTests {
    private func read(_ arguments: [String], _ command: Command = .recordService) throws -> Configuration {
        try Configuration.read(arguments, for: command, environment: [:]).configuration
    }

    private static let issuer = ["--oidc-issuer", "https://id.example", "--oidc-audience", "fanfare"]

    @Test(
        "people sign in to a service whose address is set",
        arguments: [
            ["--environments", "production"], ["--environments", "development,production"], issuer,
            ["--environments", "development"] + issuer, ["--listen", "0.0.0.0:8080"], ["--listen", "192.0.2.1:8080"],
        ])
    func needed(arguments: [String]) throws {
        do {
            try PublicAddress.require(try read(arguments), isWhole: false)
            Issue.record("it starts without")
        } catch let error as SettingsError {
            #expect("\(error)".contains("--public-url https://") && "\(error)".contains("FANFARE_PUBLIC_URL"))
        }
        let given = try read(arguments + ["--public-url", "https://api.example.com"])
        try PublicAddress.require(given, isWhole: false)
        try PublicAddress.require(given, isWhole: true)
    }

    @Test("a trial on this machine alone needs no address")
    func notNeeded() throws {
        for arguments in [
            [], ["--environments", "development"], ["--listen", "[::1]:8080"], ["--listen", "localhost:1"],
        ] {
            try PublicAddress.require(try read(arguments), isWhole: false)
        }
        try PublicAddress.require(try read(Self.issuer, .dev), isWhole: true)
        try PublicAddress.require(try read(["--environments", "development,production"], .dev), isWhole: true)
        #expect(throws: SettingsError.self) {
            try PublicAddress.require(try read(Self.issuer + ["--listen", "0.0.0.0:80"], .dev), isWhole: true)
        }
    }

    @Test("without an address, names of this machine are taken, and addresses begin as a request came")
    func here() throws {
        let address = PublicAddress(try read([]))
        #expect(address.url == nil)
        for host in ["localhost:9", "127.0.0.1", "[::1]"] { #expect(address.hosts.accepts(host)) }
        for host in ["evil.example", "192.0.2.1", "record-service"] { #expect(!address.hosts.accepts(host)) }
    }

    @Test("with an address, its name is taken, further names, and addresses, which no page gets by DNS")
    func elsewhere() throws {
        let address = PublicAddress(
            try read(["--public-url", "https://Api.example.com:8443/path", "--host-names", "record-service,a.b"]))
        #expect(address.url == "https://Api.example.com:8443/path")
        for host in [
            "api.example.com", "API.example.com:1", "record-service:8080", "a.b", "localhost", "10.1.2.3:8080",
        ] {
            #expect(address.hosts.accepts(host), "\(host)")
        }
        for host in ["evil.example", "b", "x.api.example.com", "example.com"] {
            #expect(!address.hosts.accepts(host), "\(host)")
        }
        let six = PublicAddress(try read(["--public-url", "http://[2001:db8::1]:8080"]))
        #expect(six.hosts.accepts("[2001:db8::1]:8080"))
    }

    @Test("the internal port takes addresses, names of this machine and names of the settings")
    func internalPort() throws {
        let port = InternalPort(
            try read(["--host-names", "matcher", "--public-url", "https://api.example.com"]))
        for host in ["10.1.2.3:8081", "[fd00::1]:8081", "localhost:8081", "matcher:8081"] {
            #expect(port.hosts.accepts(host), "\(host)")
        }
        for host in ["evil.example:8081", "api.example.com:8081"] { #expect(!port.hosts.accepts(host), "\(host)") }
    }

    @Test("a further name is one without a port", arguments: ["a:80", "https://a", "[::1]", "a b", "a/b"])
    func invalidNames(name: String) {
        #expect(throws: SettingsError.self) { try read(["--host-names", name]) }
    }
}
