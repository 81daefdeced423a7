/// Decides when a checkpoint of a write-ahead log is due, and whether the writer waits for it.
///
/// Each checkpoint syncs the log and the file, so that one after each commit would cost more than the commits. The first
/// ones write beside the writer. Once such a one has left little, the writer writes the rest itself: only then the log
/// begins again, and pages that changed often are written once.
struct CheckpointPlan {
    /// Pages of the log after which the first checkpoint is due.
    let first: Int
    /// Pages that the writer writes itself.
    let rest: Int
    /// Pages at which the writer makes a checkpoint in any case.
    let most: Int

    private var state = State.begun(0)

    /// The last thing that happened to the log, with the number of its pages then.
    private enum State {
        /// It began, or the writer wrote all that readers let it.
        case begun(Int)
        case underWay(Int)
        /// The last checkpoint beside the writer has ended, which began at that number of pages.
        case ended(Int)
    }

    enum Step: Equatable {
        case wait
        /// Begin a checkpoint beside the writer.
        case beside
        /// The writer makes it.
        case byWriter
    }

    init(
        first: Int = SQLiteWriter.checkpointPages, rest: Int = SQLiteWriter.checkpointPages / 4,
        most: Int = SQLiteWriter.logPagesMax
    ) {
        (self.first, self.rest, self.most) = (first, rest, most)
    }

    /// The step after a commit.
    /// - Parameter pages: those in the log.
    mutating func step(pages: Int) -> Step {
        switch state {
        case .underWay:
            return pages >= most ? .byWriter : .wait
        case .begun(let before), .ended(let before):
            // The log has begun again since.
            if pages < before { state = .begun(0) }
        }
        if case .ended(let before) = state, pages - before <= rest || pages >= most {
            state = .begun(pages)
            return .byWriter
        }
        if case .begun(let before) = state, pages - before < first { return .wait }
        state = .underWay(pages)
        return .beside
    }

    /// Notes that the checkpoint beside the writer has ended.
    mutating func ended() {
        if case .underWay(let pages) = state { state = .ended(pages) }
    }
}
