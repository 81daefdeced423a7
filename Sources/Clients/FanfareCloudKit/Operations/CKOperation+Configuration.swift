public import Foundation
import Synchronization

extension CKOperation {
    // What can change is behind a Mutex; CloudKit declares the class the same way.
    /// The time-outs of an operation, or of the calls in a database. Values that are not set come from the operation's
    /// group, then from the database that it was added to, then from CloudKit's defaults.
    ///
    /// A class, as in CloudKit. Its users keep a copy.
    public final class Configuration: NSObject, NSCopying, @unchecked Sendable {
        private let stored: Mutex<Patience>

        init(_ patience: Patience) { stored = Mutex(patience) }

        /// CloudKit's defaults.
        public convenience override init() { self.init(Patience()) }

        /// The values as they are now.
        var patience: Patience { stored.withLock { $0 } }

        /// The container; nil is the default one.
        public var container: CKContainer? {
            get { patience.container }
            set { stored.withLock { $0.container = newValue } }
        }
        /// The priority, by which the system orders work.
        public var qualityOfService: QualityOfService {
            get { patience.qualityOfService ?? .default }
            set { stored.withLock { $0.qualityOfService = newValue } }
        }
        /// Has no effect here: every network is used.
        public var allowsCellularAccess: Bool {
            get { patience.allowsCellularAccess ?? true }
            set { stored.withLock { $0.allowsCellularAccess = newValue } }
        }
        /// Has no effect here: an operation ends with its program.
        public var isLongLived: Bool {
            get { patience.isLongLived ?? false }
            set { stored.withLock { $0.isLongLived = newValue } }
        }
        /// The seconds that one request may take; 60 unless set.
        public var timeoutIntervalForRequest: TimeInterval {
            get { patience.requestLimit }
            set { stored.withLock { $0.requestSeconds = newValue } }
        }
        /// The seconds that the whole operation may take; a week unless set.
        public var timeoutIntervalForResource: TimeInterval {
            get { patience.resourceLimit }
            set { stored.withLock { $0.resourceSeconds = newValue } }
        }

        /// A configuration with the same parts.
        public func copy(with zone: NSZone? = nil) -> Any { Configuration(patience) }
    }
}
