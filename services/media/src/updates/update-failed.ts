/** A release that cannot be had, or must not be used; `message` says why, for a person. Nothing was changed. */
export class UpdateFailed extends Error {
  override readonly name = 'UpdateFailed'
}
