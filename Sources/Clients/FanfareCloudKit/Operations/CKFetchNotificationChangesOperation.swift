import Foundation

// What can change is guarded, as in the class above it.
/// Fetches the notifications of this device after a token: CloudKit's notification collection, which Apple retired.
open class CKFetchNotificationChangesOperation: CKOperation, @unchecked Sendable {
    /// The token of the last fetch; nil is the start of the retained notifications.
    @CKGuarded open var previousServerChangeToken: CKServerChangeToken? = nil
    /// The most notifications of the page; 0 leaves it to the service.
    @CKGuarded open var resultsLimit = 0
    /// True if there is more already; after the end of the operation.
    @CKGuarded public private(set) var moreComing = false
    /// Called for each notification, oldest first.
    @CKBlock open var notificationChangedBlock: ((CKNotification) -> Void)? = nil
    /// Called at the end, with the token to keep.
    @CKBlock open var fetchNotificationChangesCompletionBlock: ((CKServerChangeToken?, (any Error)?) -> Void)? = nil

    /// An operation that fetches the notifications after a token.
    public convenience init(previousServerChangeToken: CKServerChangeToken?) {
        self.init()
        self.previousServerChangeToken = previousServerChangeToken
    }

    override func run() async {
        do {
            try Task.checkCancellation()
            let page = try await ownContainer.notificationPage(after: previousServerChangeToken, limit: resultsLimit)
            for notification in page.notifications { notificationChangedBlock?(notification) }
            moreComing = page.moreComing
            fetchNotificationChangesCompletionBlock?(page.token, nil)
        } catch {
            fetchNotificationChangesCompletionBlock?(nil, CKError(error))
        }
    }
}

// What can change is guarded, as in the class above it.
/// Marks notifications as read, on all of the user's devices.
open class CKMarkNotificationsReadOperation: CKOperation, @unchecked Sendable {
    /// The notifications.
    @CKGuarded open var notificationIDs: [CKNotification.ID] = []
    /// Called at the end, with those that are marked.
    @CKBlock open var markNotificationsReadCompletionBlock: (([CKNotification.ID]?, (any Error)?) -> Void)? = nil

    /// An operation that marks notifications.
    public convenience init(notificationIDsToMarkRead notificationIDs: [CKNotification.ID]) {
        self.init()
        self.notificationIDs = notificationIDs
    }

    override func run() async {
        do {
            try Task.checkCancellation()
            let refused = try await ownContainer.markRead(notificationIDs)
            let marked = notificationIDs.filter { refused[$0] == nil }
            markNotificationsReadCompletionBlock?(
                marked, Self.failure(refused.map { (id: $0.key.text, error: $0.value) }))
        } catch {
            markNotificationsReadCompletionBlock?(nil, CKError(error))
        }
    }
}

// What can change is guarded, as in the class above it.
/// Sets the badge of all of the user's devices.
open class CKModifyBadgeOperation: CKOperation, @unchecked Sendable {
    /// The number.
    @CKGuarded open var badgeValue = 0
    /// Called at the end.
    @CKBlock open var modifyBadgeCompletionBlock: (((any Error)?) -> Void)? = nil

    /// An operation that sets the badge.
    public convenience init(badgeValue: Int) {
        self.init()
        self.badgeValue = badgeValue
    }

    override func run() async {
        do {
            try Task.checkCancellation()
            try await ownContainer.setBadge(badgeValue)
            modifyBadgeCompletionBlock?(nil)
        } catch {
            modifyBadgeCompletionBlock?(CKError(error))
        }
    }
}
