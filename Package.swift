// swift-tools-version: 6.2
// The storeys and arrows of the system. Arrows point down only; `make check` refuses the others.
import Foundation
import PackageDescription

let environment = ProcessInfo.processInfo.environment

/// The language settings of every Swift target. A misspelt feature is silently off, so `LanguageFeatures.swift`,
/// which every target links to, refuses to compile without each of them.
let settings: [SwiftSetting] = [
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableUpcomingFeature("InferIsolatedConformances"),
]

/// With `FANFARE_FUZZ` set every module reports its branches to the fuzzer, which would search blindly otherwise, and
/// checks each access to memory; `only` leaves out targets that no fuzzer needs, so that one build makes them all.
let fuzzing = environment["FANFARE_FUZZ"] != nil
let fuzzingOnly = environment["FANFARE_FUZZ"] == "only"
let fuzzFlags = fuzzing ? ["-sanitize=fuzzer,address"] : []

/// With `FANFARE_OPTIMISED` set debug builds optimise what tests run, which asserts all the same (`scripts/build-tests`).
let code: [SwiftSetting] =
    settings
    + (environment["FANFARE_OPTIMISED"] == nil
        ? [] : [.unsafeFlags(["-O", "-assert-config", "Debug"], .when(configuration: .debug))])

/// One module of a storey, in `Sources/<storey>/<name>`.
func module(_ storey: String, _ name: String, _ imports: [String] = []) -> Target {
    .target(
        name: name, dependencies: imports.map { .byName(name: $0) }, path: "Sources/\(storey)/\(name)",
        exclude: documents("Sources/\(storey)/\(name)"),
        // Fuzzers reach what tests reach.
        swiftSettings: code + (fuzzing ? [.unsafeFlags(fuzzFlags + ["-enable-testing"])] : []))
}

/// The room of one C library: a module map, and a header where macros or variadics are in the way.
func room(_ name: String, in folder: String = "Sources/Libraries", pkgConfig: String, apt: String, brew: String)
    -> Target
{
    .systemLibrary(
        name: name, path: "\(folder)/\(name)", pkgConfig: pkgConfig,
        providers: [.apt([apt]), .brew([brew])])
}

/// Tests of one module, in `Tests/<storey>/<module>Tests`. They may import all.
func tests(_ storey: String, _ module: String, _ imports: [String] = []) -> Target {
    .testTarget(
        name: "\(module)Tests", dependencies: ([module] + imports).map { .byName(name: $0) },
        path: "Tests/\(storey)/\(module)Tests",
        exclude: documents("Tests/\(storey)/\(module)Tests") + (module == "CloudMessages" ? ["Recorded"] : []),
        swiftSettings: settings)
}

func benchmark(_ name: String, _ imports: [String]) -> Target {
    .executableTarget(
        name: name, dependencies: imports.map { .byName(name: $0) }, path: "Benchmarks/\(name)", swiftSettings: settings
    )
}

/// The C loops that benchmarks are compared with.
func loop(_ name: String, _ imports: [String]) -> Target {
    .target(
        name: name, dependencies: imports.map { .byName(name: $0) }, path: "Benchmarks/\(name)", publicHeadersPath: ".",
        cSettings: [.unsafeFlags(["-O2"])])
}

/// Markdown and `.proto` files beside the code, which SwiftPM would otherwise warn about.
func documents(_ path: String) -> [String] {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(path)
    let paths = FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String } ?? []
    return paths.filter { $0.hasSuffix(".md") || $0 == "Protos" }.sorted()
}

/// The files of a C target that its `files.c` embeds: all but its code.
func embedded(_ path: String) -> [String] {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(path)
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    return names.filter { !["files.c", "embed.h", "include"].contains($0) }.sorted()
}

let libraries: [Target] = [
    room("CRDKafka", pkgConfig: "rdkafka", apt: "librdkafka-dev", brew: "librdkafka"),
    room("CSQLite", pkgConfig: "sqlite3", apt: "libsqlite3-dev", brew: "sqlite"),
    room("CMicroHTTPD", pkgConfig: "libmicrohttpd", apt: "libmicrohttpd-dev", brew: "libmicrohttpd"),
    room("CCurl", pkgConfig: "libcurl", apt: "libcurl4-openssl-dev", brew: "curl"),
    room("COpenSSL", pkgConfig: "libcrypto", apt: "libssl-dev", brew: "openssl@3"),
    room("CCJose", pkgConfig: "cjose", apt: "libcjose-dev", brew: "cjose"),
    .systemLibrary(name: "CAllocator", path: "Sources/Libraries/CAllocator"),
    room("CZlib", pkgConfig: "zlib", apt: "zlib1g-dev", brew: "zlib"),
    .target(name: "CVersion", path: "Sources/Libraries/CVersion"),
    room("CPostgreSQL", pkgConfig: "libpq", apt: "libpq-dev", brew: "libpq"),
    module("Libraries", "KafkaClient", ["CRDKafka", "TextForms", "Waiting"]),
    module("Libraries", "SQLite", ["CSQLite", "Waiting"]),
    module("Libraries", "PostgreSQL", ["CPostgreSQL", "Timing", "Waiting"]),
    module("Libraries", "HTTPServer", ["CMicroHTTPD", "CAllocator", "TextForms", "Waiting"]),
    module("Libraries", "HTTPClient", ["CCurl", "TextForms", "Waiting"]),
    module("Libraries", "Cryptography", ["COpenSSL", "CCJose", "TextForms", "Waiting"]),
    module("Libraries", "Compression", ["CZlib"]),
    module("Libraries", "JSON"),
    module("Libraries", "ProtocolBuffers"),
    module("Libraries", "Settings"),
    module("Libraries", "Telemetry", ["TextForms", "Waiting"]),
    module("Libraries", "TextForms"),
    module("Libraries", "FileSystem"),
    module("Libraries", "CrashMarks"),
    module("Libraries", "Timing"),
    module("Libraries", "Waiting", ["Timing"]),
]

let core: [Target] = [
    module("Core", "CloudModel", ["TextForms"]),
    module("Core", "CloudJSON", ["CloudModel", "JSON", "TextForms"]),
    module("Core", "Matching", ["CloudModel"]),
    module("Core", "EventLog", ["ProtocolBuffers", "TextForms"]),
    module("Core", "CloudMessages", ["CloudModel", "EventLog", "ProtocolBuffers"]),
    module("Core", "Stages", ["CloudMessages", "EventLog", "Telemetry", "Timing", "Waiting"]),
    module(
        "Core", "Continuity",
        ["CloudMessages", "CloudModel", "EventLog", "ProtocolBuffers", "Stages", "Telemetry", "Timing", "Waiting"]),
    module(
        "Core", "Poison",
        ["CloudMessages", "CloudModel", "CrashMarks", "EventLog", "ProtocolBuffers", "Stages", "Telemetry", "Waiting"]),
    module("Core", "RecordStore", ["CloudModel"]),
]

let backends: [Target] = [
    module("Backends", "KafkaLog", ["EventLog", "JSON", "KafkaClient", "Telemetry", "Timing", "Waiting"]),
    module("Backends", "MemoryLog", ["EventLog", "Waiting"]),
    module(
        "Backends", "SQLiteLog", ["EventLog", "MemoryLog", "SQLite", "ProtocolBuffers", "Telemetry", "Waiting"]),
    module(
        "Backends", "SQLiteRecordStore", ["CloudModel", "FileSystem", "RecordStore", "SQLite", "Timing", "Waiting"]),
    module("Backends", "FileAssets", ["RecordStore", "Cryptography", "TextForms"]),
    module(
        "Backends", "S3Assets",
        ["Cryptography", "FileAssets", "FileSystem", "HTTPClient", "RecordStore", "Telemetry", "TextForms", "Timing"]),
]

/// What programs outside of this package import: no C library and no server below it.
let clients: [Target] = [
    module("Clients", "CloudCalls", ["CloudJSON", "CloudModel", "JSON", "TextForms"]),
    module(
        "Clients", "FanfareCloudKit", ["CloudCalls", "CloudJSON", "CloudModel", "JSON", "Timing"]),
]

let services: [Target] = [
    module(
        "Services", "Identity",
        [
            "CloudModel", "RecordStore", "HTTPClient", "JSON", "ProtocolBuffers", "Cryptography", "Telemetry",
            "CloudMessages", "TextForms", "Timing", "Waiting",
        ]),
    module(
        "Services", "RecordService",
        [
            "CloudModel", "Matching", "RecordStore", "EventLog", "ProtocolBuffers", "Cryptography", "Telemetry",
            "TextForms", "Timing", "Waiting", "CloudMessages", "Continuity", "Poison", "Stages",
        ]),
    module(
        "Services", "SubscriptionMatcher",
        [
            "CloudModel", "CloudMessages", "Continuity", "Cryptography", "Matching", "EventLog", "Poison",
            "ProtocolBuffers", "Stages", "Telemetry", "Timing", "Waiting",
        ]),
    module(
        "Services", "NotificationDelivery",
        [
            "CloudModel", "CloudMessages", "Continuity", "EventLog", "Poison", "ProtocolBuffers", "Stages",
            "Telemetry", "Timing", "Waiting",
        ]),
    module(
        "Services", "FeedTopics",
        [
            "CloudModel", "CloudMessages", "Continuity", "EventLog", "Poison", "ProtocolBuffers", "Stages",
            "Telemetry", "Timing", "Waiting",
        ]),
    module(
        "Services", "Feeds",
        [
            "CloudModel", "CloudMessages", "EventLog", "ProtocolBuffers", "Cryptography", "TextForms", "Telemetry",
            "Timing", "Waiting",
        ]),
    module(
        "Services", "Push",
        [
            "CloudJSON", "CloudModel", "CloudMessages", "Continuity", "EventLog", "HTTPClient", "JSON", "Poison",
            "ProtocolBuffers", "Cryptography", "SQLite", "Stages", "Telemetry", "TextForms", "Timing", "Waiting",
        ]),
    .target(
        name: "CServedFiles", path: "Sources/Services/CServedFiles", exclude: ["service-worker.js"]),
    module(
        "Services", "WebAPI",
        [
            "CServedFiles", "CloudJSON", "CloudModel", "Compression", "Cryptography", "Identity", "RecordService",
            "RecordStore",
            "Feeds", "Push",
            "HTTPServer", "JSON", "Telemetry", "TextForms", "Timing", "Waiting",
        ]),
    .target(
        name: "CConsoleFiles", path: "Sources/Services/CConsoleFiles",
        exclude: embedded("Sources/Services/CConsoleFiles")),
    module(
        "Services", "Console",
        [
            "CConsoleFiles", "CloudJSON", "CloudMessages", "CloudModel", "Cryptography", "EventLog",
            "Feeds", "HTTPServer", "Identity", "JSON", "Matching", "Poison", "ProtocolBuffers", "RecordService",
            "RecordStore", "Stages", "Telemetry", "TextForms", "Timing", "WebAPI",
        ]),
    module(
        "Services", "Repair",
        [
            "CloudMessages", "Continuity", "EventLog", "NotificationDelivery", "RecordService", "Stages",
            "SubscriptionMatcher",
        ]),
    module(
        "Services", "Inspection",
        [
            "CloudJSON", "CloudMessages", "CloudModel", "EventLog", "JSON", "Matching", "Poison", "ProtocolBuffers",
            "SQLite", "TextForms",
        ]),
    module(
        "Services", "Operations",
        [
            "CloudCalls", "CloudJSON", "CloudModel", "Compression", "FileSystem", "HTTPClient", "JSON", "Telemetry",
            "TextForms",
        ]),
]

let everything = (libraries + core + clients + backends + services).map(\.name).filter {
    ![
        "CRDKafka", "CSQLite", "CMicroHTTPD", "CAllocator", "CCurl", "CConsoleFiles", "CServedFiles", "COpenSSL",
        "CCJose", "CZlib", "FanfareCloudKit",
        // No part of the program uses it, which would link to it.
        "CPostgreSQL", "PostgreSQL",
    ]
    .contains($0)
}

let program: [Target] = [
    .executableTarget(
        name: "fanfare", dependencies: everything.map { .byName(name: $0) }, path: "Sources/fanfare",
        exclude: documents("Sources/fanfare"), swiftSettings: code)
]

/// Programs that use what apps use; `todo` is a package of its own, too.
let examples: [Target] = [
    .executableTarget(
        name: "todo", dependencies: ["FanfareCloudKit"], path: "Examples/todo/Sources/todo", swiftSettings: settings),
    .executableTarget(
        name: "demo", dependencies: ["FanfareCloudKit"], path: "Examples/demo/Sources/demo", swiftSettings: settings),
]

let testTargets: [Target] = [
    room("CJansson", in: "Tests/Libraries", pkgConfig: "jansson", apt: "libjansson-dev", brew: "jansson"),
    room("CTLSServer", in: "Tests/Libraries", pkgConfig: "openssl", apt: "libssl-dev", brew: "openssl@3"),
    room("CYAML", in: "Tests/Libraries", pkgConfig: "yaml-0.1", apt: "libyaml-dev", brew: "libyaml"),
    .target(
        name: "TestSupport", dependencies: (everything + ["CYAML", "FanfareCloudKit"]).map { .byName(name: $0) },
        path: "Tests/Support",
        swiftSettings: code),
    tests("Libraries", "KafkaClient", ["CRDKafka", "TestSupport"]),
    tests("Libraries", "FileSystem", ["TestSupport"]),
    tests("Libraries", "SQLite", ["TestSupport"]),
    tests("Libraries", "PostgreSQL", ["TestSupport", "Waiting"]),
    tests("Libraries", "HTTPServer", ["CMicroHTTPD", "HTTPClient", "TestSupport"]),
    tests("Libraries", "HTTPClient", ["CCurl", "CTLSServer", "HTTPServer", "TestSupport", "Waiting"]),
    tests("Libraries", "Cryptography", ["COpenSSL", "TestSupport", "TextForms"]),
    tests("Libraries", "Compression", ["TestSupport"]),
    tests("Libraries", "JSON", ["CJansson", "TestSupport"]),
    tests("Libraries", "ProtocolBuffers", ["TestSupport"]),
    tests("Libraries", "Settings"),
    tests("Libraries", "Telemetry"),
    tests("Libraries", "TextForms", ["TestSupport"]),
    tests("Libraries", "CrashMarks", ["TestSupport"]),
    tests("Libraries", "Timing", ["TestSupport"]),
    tests("Libraries", "Waiting", ["TestSupport"]),
    tests("Core", "CloudModel", ["TestSupport"]),
    tests("Core", "CloudJSON", ["CloudModel", "JSON", "TestSupport"]),
    tests("Core", "Matching", ["CloudModel", "CloudMessages", "ProtocolBuffers", "SQLite", "TestSupport"]),
    tests("Core", "EventLog"),
    tests("Core", "CloudMessages", ["EventLog", "ProtocolBuffers", "SQLiteLog", "TextForms"]),
    tests("Core", "Stages", ["EventLog", "MemoryLog", "TestSupport", "Waiting"]),
    tests("Core", "Continuity", ["CloudMessages", "CloudModel", "EventLog", "MemoryLog", "Stages", "TestSupport"]),
    tests(
        "Core", "Poison",
        ["CloudMessages", "CloudModel", "CrashMarks", "EventLog", "MemoryLog", "ProtocolBuffers", "TestSupport"]),
    .testTarget(
        name: "RepositoryTests",
        dependencies: ["CloudModel", "JSON", "Stages", "TestSupport", "fanfare"],
        path: "Tests/RepositoryTests", swiftSettings: settings),
    .testTarget(
        name: "FanfareTests",
        dependencies: [
            "CloudMessages", "CloudModel", "Cryptography", "EventLog", "FileAssets", "FileSystem", "HTTPServer", "JSON",
            "Push", "RecordStore", "S3Assets", "SQLite", "Settings", "TestSupport", "TextForms", "fanfare",
        ],
        path: "Tests/FanfareTests", swiftSettings: settings),
    .testTarget(
        name: "StoryTests",
        dependencies: [
            "CloudMessages", "CloudModel", "CrashMarks", "Cryptography", "EventLog", "FanfareCloudKit", "Feeds",
            "HTTPClient", "HTTPServer", "JSON", "KafkaClient", "KafkaLog", "Matching", "Operations",
            "ProtocolBuffers", "RecordService", "RecordStore", "S3Assets", "SQLite", "SQLiteLog", "Stages",
            "TestSupport", "TextForms", "fanfare",
        ],
        path: "Tests/StoryTests", swiftSettings: settings),
    .testTarget(
        name: "ConformanceTests",
        dependencies: ["Cryptography", "HTTPClient", "JSON", "TestSupport", "TextForms", "fanfare"],
        path: "Tests/ConformanceTests",
        swiftSettings: settings),
    .testTarget(
        name: "DeliveryTests",
        dependencies: [
            "CloudMessages", "CloudModel", "Continuity", "Cryptography", "EventLog", "Feeds", "KafkaClient",
            "KafkaLog", "MemoryLog", "NotificationDelivery", "Poison", "ProtocolBuffers", "RecordService",
            "RecordStore", "SubscriptionMatcher", "TestSupport",
        ],
        path: "Tests/Services/DeliveryTests", swiftSettings: settings),
    tests(
        "Services", "Identity",
        [
            "CloudModel", "Cryptography", "ProtocolBuffers", "RecordStore", "SQLite", "SQLiteRecordStore",
            "TestSupport", "CloudMessages", "Waiting",
        ]),
    tests(
        "Services", "RecordService",
        [
            "CloudModel", "Continuity", "Cryptography", "EventLog", "FileAssets", "Identity", "Matching", "Poison",
            "ProtocolBuffers", "RecordStore", "SQLite", "SQLiteRecordStore", "TestSupport", "Timing", "TextForms",
            "CloudMessages", "MemoryLog", "Waiting",
        ]),
    tests(
        "Services", "SubscriptionMatcher",
        [
            "CloudMessages", "CloudModel", "CrashMarks", "EventLog", "Matching", "MemoryLog", "Poison",
            "ProtocolBuffers", "Stages", "TestSupport",
        ]),
    tests(
        "Services", "NotificationDelivery",
        ["CloudMessages", "CloudModel", "EventLog", "MemoryLog", "Poison", "ProtocolBuffers", "Stages", "TestSupport"]),
    tests(
        "Services", "FeedTopics",
        ["CloudMessages", "CloudModel", "EventLog", "MemoryLog", "Poison", "ProtocolBuffers", "TestSupport"]),
    tests("Clients", "FanfareCloudKit", ["CloudJSON", "CloudModel", "JSON", "TestSupport"]),
    // Read like the code of apps: nothing but the library below the face.
    .testTarget(
        name: "CloudKitTests",
        dependencies: ["CloudModel", "FanfareCloudKit", "JSON", "TestSupport", "demo", "fanfare", "todo"],
        path: "Tests/Clients/CloudKitTests", swiftSettings: settings),
    tests(
        "Services", "Inspection",
        [
            "CloudMessages", "CloudModel", "EventLog", "JSON", "KafkaLog", "MemoryLog", "NotificationDelivery",
            "ProtocolBuffers", "Push", "RecordService", "RecordStore", "SQLite", "SQLiteLog", "SubscriptionMatcher",
            "TestSupport",
        ]),
    tests(
        "Services", "Operations",
        [
            "CloudMessages", "CloudModel", "Compression", "EventLog", "FanfareCloudKit", "JSON", "ProtocolBuffers",
            "RecordService", "Telemetry", "TestSupport",
        ]),
    tests(
        "Services", "Feeds",
        [
            "CloudJSON", "CloudMessages", "CloudModel", "Cryptography", "EventLog", "JSON", "MemoryLog",
            "ProtocolBuffers", "SQLite", "SQLiteLog", "TestSupport", "Waiting",
        ]),
    tests(
        "Services", "Push",
        [
            "CloudMessages", "CloudModel", "Cryptography", "EventLog", "HTTPClient", "HTTPServer", "JSON", "MemoryLog",
            "Poison", "ProtocolBuffers", "SQLite", "Telemetry", "TestSupport", "TextForms", "Waiting",
        ]),
    tests(
        "Services", "WebAPI",
        [
            "CloudJSON", "CloudModel", "Compression", "Cryptography", "EventLog", "Feeds", "HTTPClient", "HTTPServer",
            "Identity",
            "JSON", "Push", "RecordService", "RecordStore", "S3Assets", "TestSupport", "TextForms", "CloudMessages",
            "MemoryLog", "Waiting",
        ]),
    tests(
        "Services", "Console",
        [
            "CloudMessages", "CloudModel", "Compression", "Cryptography", "EventLog", "Feeds", "HTTPClient",
            "HTTPServer", "Identity", "JSON", "MemoryLog", "Poison", "ProtocolBuffers", "Push", "RecordService",
            "RecordStore", "SQLite", "SQLiteLog", "Stages", "Telemetry", "TestSupport", "WebAPI", "fanfare",
        ]),
    tests("Backends", "KafkaLog", ["CRDKafka", "EventLog", "KafkaClient", "Telemetry", "TestSupport"]),
    tests("Backends", "MemoryLog", ["EventLog", "TestSupport"]),
    tests("Backends", "SQLiteLog", ["EventLog", "MemoryLog", "SQLite", "TestSupport"]),
    tests("Backends", "SQLiteRecordStore", ["CloudModel", "RecordStore", "SQLite", "TestSupport"]),
    tests("Backends", "FileAssets", ["RecordStore", "TestSupport"]),
    tests("Backends", "S3Assets", ["Cryptography", "FileAssets", "RecordStore", "TestSupport", "TextForms"]),
    .executableTarget(
        name: "simulate",
        dependencies: [
            "CloudMessages", "CloudModel", "Continuity", "Cryptography", "EventLog", "FeedTopics", "Feeds", "JSON",
            "MemoryLog", "NotificationDelivery", "ProtocolBuffers", "Push", "RecordService", "RecordStore", "Repair",
            "Stages", "SubscriptionMatcher", "TestSupport", "TextForms", "Timing", "Waiting",
        ],
        path: "Tests/Simulation", exclude: documents("Tests/Simulation") + ["seeds"], swiftSettings: code),
    .testTarget(
        name: "SimulationTests", dependencies: ["TestSupport", "simulate"], path: "Tests/SimulationTests",
        swiftSettings: settings),
]

let benchmarks: [Target] = [
    loop("CKafkaLoop", ["CRDKafka"]),
    benchmark("KafkaClientBenchmark", ["KafkaClient", "CKafkaLoop"]),
    loop("CHTTPLoop", ["CMicroHTTPD"]),
    benchmark("HTTPServerBenchmark", ["HTTPServer", "CHTTPLoop"]),
    loop("CPushLoop", ["CCurl"]),
    benchmark("HTTPClientBenchmark", ["HTTPClient", "CPushLoop"]),
    loop("CSQLiteLoop", ["CSQLite"]),
    loop("CRecordLoop", ["CSQLite"]),
    benchmark(
        "RecordStoreBenchmark",
        [
            "RecordService", "SQLiteRecordStore", "RecordStore", "CloudMessages", "CloudModel", "Cryptography",
            "SQLite", "CRecordLoop",
        ]),
    // The workload's own files stay beside it as they came.
    .target(
        name: "CMatchingLoop", path: "Benchmarks/CMatchingLoop",
        exclude: ["README.md", "accessidx.c", "linear.c", "ckgen.h"], cSettings: [.unsafeFlags(["-O2"])]),
    .target(
        name: "MatchingWorkload", dependencies: ["CMatchingLoop", "CloudModel"], path: "Benchmarks/MatchingWorkload",
        swiftSettings: settings),
    benchmark("MatchingBenchmark", ["Matching", "CloudModel", "CMatchingLoop", "MatchingWorkload"]),
    benchmark(
        "StageBenchmark",
        [
            "SubscriptionMatcher", "NotificationDelivery", "KafkaLog", "MemoryLog", "CloudMessages", "EventLog",
            "Matching", "ProtocolBuffers", "CloudModel", "MatchingWorkload",
        ]),
    benchmark("ClientLibraryBenchmark", ["FanfareCloudKit"]),
    loop("CWebPushLoop", ["COpenSSL"]),
    benchmark(
        "WebPushBenchmark",
        ["Push", "CloudModel", "EventLog", "HTTPClient", "Cryptography", "Waiting", "CWebPushLoop", "CPushLoop"]),
    benchmark("PushLogBenchmark", ["CloudMessages", "CloudModel", "EventLog", "MemoryLog", "ProtocolBuffers", "Push"]),
    benchmark("SQLiteLogBenchmark", ["SQLiteLog", "MemoryLog", "EventLog", "SQLite", "CSQLiteLoop"]),
]

/// Fuzz targets exist only when `FANFARE_FUZZ` is set (`scripts/fuzz`), as their flags would reach the other targets'
/// builds.
let fuzzTargets: [Target] =
    !fuzzing
    ? []
    : [
        ("JSON", ["JSON"]), ("Messages", ["ProtocolBuffers"]), ("Rows", ["PostgreSQL"]),
        ("Predicate", ["CloudModel", "Matching", "ProtocolBuffers", "CloudMessages"]),
        ("Matching", ["CloudModel", "Matching"]), ("Schema", ["CloudModel"]),
        ("Requests", ["CloudModel", "Cryptography", "HTTPServer", "Identity", "TextForms", "WebAPI"]),
        (
            "Tokens",
            [
                "CloudMessages", "CloudModel", "Cryptography", "EventLog", "Feeds", "Identity", "Push",
                "RecordService", "TextForms",
            ]
        ),
        (
            "Stored",
            [
                "CloudJSON", "CloudMessages", "CloudModel", "Cryptography", "EventLog", "Feeds", "JSON",
                "Inspection", "Matching", "NotificationDelivery", "Poison", "ProtocolBuffers", "Push",
                "SubscriptionMatcher",
            ]
        ),
    ].map {
        name, imports in
        .executableTarget(
            name: "Fuzz\(name)", dependencies: imports.map { .byName(name: $0) }, path: "Tests/Fuzz/\(name)",
            swiftSettings: settings + [.unsafeFlags(fuzzFlags + ["-parse-as-library"])],
            linkerSettings: [.unsafeFlags(fuzzFlags)])
    }

let package = Package(
    name: "fanfare",
    platforms: [.macOS(.v15)],
    products: fuzzingOnly
        ? []
        : [
            .executable(name: "fanfare", targets: ["fanfare"]),
            .library(name: "FanfareCloudKit", targets: ["FanfareCloudKit"]),
        ],
    targets: libraries + core + clients + services + fuzzTargets
        + (fuzzingOnly ? [] : backends + program + examples + testTargets + benchmarks)
)
