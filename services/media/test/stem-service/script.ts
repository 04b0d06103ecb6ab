/** A fault of the service in one call, instead of or after doing it. */
export type Fault =
  /** Answers so and does nothing; a text goes out as it is, anything else as JSON. */
  | { readonly answer: number; readonly body?: unknown; readonly headers?: Record<string, string> }
  /** Breaks the connection after so many bytes of the body. */
  | { readonly resetAfterBytes: number }
  /** Does the work and breaks the connection before it answers. */
  | 'lose-answer'
  /** Never answers. */
  | 'hang'
  /** Answers when the returned promise resolves. */
  | { readonly waitFor: Promise<unknown> }

/** The way a result is handed out. */
export type Delivery =
  | 'whole'
  /** Without saying how long it is. */
  | 'chunked'
  /** In five pieces with 20 s after each. */
  | 'slow'
  /** A few bytes, then nothing more. */
  | 'stalled'
  /** Never ends. */
  | 'endless'
  /** Ends before the announced length. */
  | 'truncated'
  | 'empty'
  | 'html'
  | 'missing'
  | 'unavailable'
  /** Leads to another address of the service, once or again and again. */
  | 'redirect'
  | 'redirect-again'
  /** Leads to this address. */
  | { readonly redirectTo: string }

/** The parts of the service's behaviour that a test can change at any time. */
export interface Script {
  /** Answers of a task's checks, one after the other before it has ended; 0 stands for the queue. */
  progress: readonly number[]
  /** True when a second split with the same key answers with the task as long as that waits in the queue. */
  isKeyReusableInQueue: boolean
  /** Number of times a check answers `server_error` for each task before it answers properly again. */
  serverErrors: number
  /** Ends of the next tasks, instead of a good one; one entry a task. */
  readonly taskErrors: { readonly code: string | null; readonly detail: string }[]
  /** Faults of the next results, one entry each; then they are whole. */
  readonly deliveries: Delivery[]
  /** Text before the path of a result's address instead of the service's own, such as `http://d.lalal.ai`. */
  resultOrigin: string | undefined
  /** The longest file and the largest one that are split. */
  maxDurationSeconds: number
  maxBytes: number
  checksPerMinute: number
}

export const ordinaryScript = (): Script => ({
  progress: [0, 0, 15, 60, 100],
  isKeyReusableInQueue: true,
  serverErrors: 0,
  taskErrors: [],
  deliveries: [],
  resultOrigin: undefined,
  maxDurationSeconds: 3 * 3600,
  maxBytes: 2 * 1024 ** 3,
  checksPerMinute: 30,
})
