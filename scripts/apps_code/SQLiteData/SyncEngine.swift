/// SQLiteData's engine, which its events are an extension of.
public final class SyncEngine: Sendable {}
