import Testing

/// A user's address is reached through `GuardedClient` only, which takes nothing but what `OutgoingGuard` checked.
@Suite("Outgoing connections") struct OutgoingConnectionTests {
    /// Code that requests URLs without a guard, with their source.
    private static let unguarded = [
        "Sources/Libraries/HTTPClient/": "the client itself",
        "Sources/Backends/S3Assets/S3Bucket.swift": "the object store that the operator names",
        "Sources/Services/Identity/IdentityProvider.swift": "the operator's OpenID provider, and what it names",
        "Sources/Services/Identity/IdentityProvider+CodeFlow.swift": "the operator's OpenID provider",
        "Sources/Services/Operations/HTTPClientTransport.swift": "the service that the operator's command names",
        "Sources/Services/Push/Transport/ProviderTransport.swift": "the providers that the operator names",
        "Sources/fanfare/Composition/TraceExporter.swift": "the operator's collector of traces",
        "Sources/fanfare/Composition/PublicServer.swift": "a client for the operator's OpenID provider",
        "Sources/fanfare/Commands/Command+Administration.swift": "this machine's own health",
        "Sources/fanfare/Commands/Command+Console.swift": "the service that the operator's command names",
        "Sources/fanfare/Composition/Clients.swift": "the service that the operator's command names",
    ]

    /// Code that opens sockets or resolves names without libcurl.
    private static let sockets = [
        "Sources/Clients/FanfareCloudKit/": "the library for apps, which the service calls with the operator's address",
        "Sources/Libraries/HTTPClient/": "libcurl",
    ]

    @Test("URLs are requested without a guard by named files only")
    func requests() {
        let pattern = /\b(?:HTTPClient|HTTPClientRequest|HTTPClientTransport|MultiplexedConnection)(?:\.init)?\(/
        expectNone(
            violations(of: pattern, word: "(", except: Self.unguarded) {
                "requests a URL without a guard: use GuardedClient where a user chose it, or name the file and the "
                    + "URL's source in OutgoingConnectionTests.swift"
            })
    }

    @Test("nothing but libcurl connects to a server")
    func connecting() {
        let pattern =
            /\bURLSession|\bFoundationNetworking\b|\bgetaddrinfo\(|\bgethostby|\bsocket\(|\bCFSocket|\bNWConnection\b/
        expectNone(
            violations(of: pattern, except: Self.sockets) {
                "connects by itself: HTTPClient does, and its guard decides about addresses"
            })
    }

    @Test("an address is checked in the one callback that makes sockets")
    func sockets() throws {
        let shim = try Repository.file("Sources/Libraries/CCurl/shim.h")
        #expect(shim.lines.count { $0.holds("CURLOPT_OPENSOCKETFUNCTION") } == 1)
        #expect(shim.lines.count { $0.contains(/\bsocket\(/) } == 1)
        let callers = Repository.sources.filter { file in file.lines.contains { $0.holds("curl_open_socket(") } }
        #expect(callers.map(\.path) == ["Sources/Libraries/HTTPClient/Multiplexing/MultiplexedTransfer.swift"])
    }

    @Test("a guarded URL comes from the guard only")
    func urls() {
        let makers = Repository.sources.filter { file in
            SwiftCode(file).lines.contains { $0.holds("GuardedURL") && $0.contains(/\bGuardedURL(?:\.init)?\(/) }
        }
        #expect(makers.map(\.path) == ["Sources/Libraries/HTTPClient/Guard/OutgoingGuard.swift"])
    }

    @Test("the lists name files that exist")
    func files() {
        expectNone(
            (Array(Self.unguarded.keys) + Array(Self.sockets.keys)).filter { !Repository.exists($0) }.map {
                Violation(path: $0, remedy: "is gone: take it from the lists in OutgoingConnectionTests.swift")
            })
    }

    private func violations(
        of pattern: Regex<Substring>, word: String = "", except places: [String: String], remedy: () -> String
    ) -> [Violation] {
        Repository.sources.filter { file in !places.keys.contains { file.path.hasPrefix($0) } }.flatMap { file in
            zip(1..., SwiftCode(file).lines).filter { $0.1.holds(word) && $0.1.contains(pattern) }.map { number, _ in
                Violation(path: file.path, line: number, remedy: remedy())
            }
        }
    }
}
