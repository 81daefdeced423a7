import Testing

@Suite("Storeys") struct StoreyTests {
    @Test("arrows between modules point down")
    func arrows() throws {
        let targets = try PackageTarget.all.get()
        let targetsByName = Dictionary(uniqueKeysWithValues: targets.map { ($0.name, $0) })
        let manifest = try Repository.file("Package.swift")
        expectNone(
            targets.filter { $0.storey != nil }.flatMap { target in
                target.dependencies.sorted().compactMap { name in
                    guard let reason = refusal(of: target, importing: targetsByName[name]) else { return nil }
                    let line = manifest.numbered.first { $0.line.contains("\"\(target.name)\"") }?.number ?? 0
                    return Violation(
                        path: "Package.swift", line: line,
                        remedy: "\(target.name) imports \(name): \(reason). Move what it needs down, or behind a port")
                }
            })
    }

    @Test("libraries know nothing of records and CloudKit")
    func libraries() {
        expectNone(
            Repository.sources.filter { $0.path.hasPrefix("Sources/Libraries/") }.flatMap { file in
                file.numbered.filter { $0.line.holds("CK") || $0.line.holds("Cloud") }
                    .filter { $0.line.contains(/CloudKit|iCloud|\bCK[A-Z]/) }.map { number, _ in
                        Violation(
                            path: file.path, line: number,
                            remedy: "speaks of CloudKit: a module of Libraries could be a package of its own; "
                                + "say it in the library's own terms")
                    }
            })
    }

    @Test(
        "wrong arrows are refused",
        arguments: [
            ("JSON", "CloudModel"), ("KafkaClient", "ProtocolBuffers"), ("CloudModel", "Telemetry"),
            ("EventLog", "CrashMarks"), ("Stages", "CrashMarks"), ("EventLog", "CloudModel"),
            ("EventLog", "CloudMessages"), ("MemoryLog", "SQLiteLog"), ("FileAssets", "S3Assets"),
            ("Waiting", "KafkaClient"), ("Matching", "SQLite"),
            ("KafkaLog", "SQLiteLog"), ("KafkaLog", "RecordService"), ("RecordService", "SQLiteRecordStore"),
            ("RecordService", "Feeds"), ("RecordService", "Identity"), ("Identity", "RecordService"),
            ("NotificationDelivery", "WebAPI"), ("Operations", "TestSupport"), ("WebAPI", "FanfareCloudKit"),
            ("FanfareCloudKit", "HTTPClient"), ("CloudModel", "JSON"), ("CloudCalls", "FanfareCloudKit"),
            ("Operations", "FanfareCloudKit"), ("Inspection", "RecordService"), ("Inspection", "NotificationDelivery"),
            ("Inspection", "SubscriptionMatcher"), ("Inspection", "CloudCalls"),
        ])
    func wrong(importer: String, imported: String) throws {
        let targets = try PackageTarget.all.get()
        let target = try #require(targets.first { $0.name == importer })
        #expect(refusal(of: target, importing: targets.first { $0.name == imported }) != nil)
    }

    /// Why a module may not import another; nil when it may.
    private func refusal(of target: PackageTarget, importing imported: PackageTarget?) -> String? {
        guard let imported, let storey = imported.storey, imported.name != "fanfare" else {
            return "nothing in Sources imports what stands outside the storeys, or the program"
        }
        switch (target.storey, storey) {
        case ("fanfare", _): return nil
        case ("Libraries", "Libraries"):
            let isBase = ["TextForms", "Timing", "Waiting"].contains(imported.name)
            return imported.kind == .room || isBase ? nil : "a module of Libraries stands alone"
        case ("Core", "Core"): return target.name == "EventLog" ? "the log knows no record" : nil
        case ("Core", "Libraries"):
            // Stages run: they wait, and report. Only Poison marks the entries in work.
            let runs = ["Telemetry", "Timing", "Waiting"]
            let others: [String: [String]] = [
                "CloudJSON": ["JSON"], "Stages": runs, "Continuity": runs, "Poison": runs + ["CrashMarks"],
            ]
            return (["ProtocolBuffers", "TextForms"] + others[target.name, default: []]).contains(imported.name)
                ? nil : "Core has only ProtocolBuffers and TextForms below it"
        case ("Clients", "Core"), ("Clients", "Libraries"):
            return ["CloudModel", "CloudJSON", "JSON", "TextForms", "Timing"].contains(imported.name)
                ? nil : "apps that import the client library get no C library and no server"
        case ("Clients", "Clients"): return imported.name == "CloudCalls" ? nil : "the calls know no face"
        case ("Services", "Clients"):
            // Foundation's size is the face's: programs that only call have none of it.
            return (target.name, imported.name) == ("Operations", "CloudCalls")
                ? nil : "a service is no client of another, and the tools need no face"
        case ("Backends", "Core"), ("Backends", "Libraries"): return nil
        case ("Backends", "Backends"):
            // The logs of one process share groups and followers, both places of assets the folder of uploads.
            let pairs = ["SQLiteLog": "MemoryLog", "S3Assets": "FileAssets"]
            return pairs[target.name] == imported.name ? nil : "backends stand side by side"
        case ("Services", "Core"), ("Services", "Libraries"): return nil
        case ("Services", "Backends"): return "services know ports, the program chooses the backend"
        case ("Services", "Services"):
            if imported.kind == .c { return nil }
            let pairs: [String: Set<String>] = [
                "WebAPI": ["Identity", "RecordService", "Feeds", "Push"],
                "Console": ["WebAPI", "Identity", "RecordService", "Feeds"],
                "Repair": ["RecordService", "SubscriptionMatcher", "NotificationDelivery"],
            ]
            return pairs[target.name]?.contains(imported.name) == true ? nil : "these services stand side by side"
        default: return "\(storey) is not below \(target.storey ?? "it")"
        }
    }
}
