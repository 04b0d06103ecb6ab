/** Reason of a `NotificationError`. */
export type NotificationErrorReason =
  | { readonly kind: 'not-found'; readonly what: 'destination' | 'failed message' }
  | { readonly kind: 'invalid'; readonly member: string; readonly message: string }
  | { readonly kind: 'too-many-destinations' }

/** A request about notifications that cannot be answered. The message is a sentence for the caller. */
export class NotificationError extends Error {
  override readonly name = 'NotificationError'
  readonly reason: NotificationErrorReason

  constructor(reason: NotificationErrorReason) {
    super(messageOf(reason))
    this.reason = reason
  }
}

function messageOf(reason: NotificationErrorReason): string {
  switch (reason.kind) {
    case 'not-found':
      return `There is no such ${reason.what}`
    case 'invalid':
      return `${reason.member} ${reason.message}`
    case 'too-many-destinations':
      return 'There are 50 destinations already; delete one first'
  }
}
