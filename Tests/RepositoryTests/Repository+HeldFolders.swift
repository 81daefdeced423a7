extension Repository {
    /// The folders that the rules of form (`FormTests`, `SharedStateTests`) hold.
    static let heldFolders = [
        "Sources/Backends/KafkaLog", "Sources/Backends/MemoryLog", "Sources/Backends/SQLiteLog",
        "Sources/Core/CloudMessages", "Sources/Core/CloudModel", "Sources/Core/EventLog", "Sources/Core/Stages",
        "Sources/Libraries/Compression", "Sources/Libraries/CrashMarks", "Sources/Libraries/Cryptography",
        "Sources/Libraries/HTTPClient", "Sources/Libraries/HTTPServer", "Sources/Libraries/JSON",
        "Sources/Libraries/KafkaClient", "Sources/Libraries/ProtocolBuffers", "Sources/Libraries/SQLite",
        "Sources/Libraries/Settings", "Sources/Libraries/Telemetry", "Sources/Libraries/Waiting",
        "Sources/Services/NotificationDelivery", "Sources/Services/Push", "Sources/fanfare",
    ]

    /// Files written by hand in the held folders.
    static let heldSources = sources.filter { file in
        !file.isGenerated && heldFolders.contains { file.path.hasPrefix($0 + "/") }
    }
}
