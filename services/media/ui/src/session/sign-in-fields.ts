/** Hidden fields of the sign-in page, for one attempt. */
export interface SignInFields {
  captchaToken: string
  /** Time at which the page was made, on the clock of `performance.now()`. */
  madeAt: number
}

/** The server takes no attempt sooner than a second after the page was made; a little more for the clocks. */
const soonest = 1150

/** The CSRF cookie that came with the page lives for an hour. */
const latest = 55 * 60_000

/** Milliseconds an attempt has to wait so that it is not taken for a robot's. */
export function waitBefore(fields: SignInFields, now: number): number {
  return Math.max(0, Math.ceil(fields.madeAt + soonest - now))
}

/** Returns true if the fields still belong to a valid cookie. */
export function isFresh(fields: SignInFields, now: number): boolean {
  return now - fields.madeAt < latest
}

/** Reads the hidden fields out of a document; undefined when it is not the sign-in page. */
export function fieldsIn(page: ParentNode, madeAt: number): SignInFields | undefined {
  const template = page.querySelector<HTMLTemplateElement>('template#sign-in-fields')
  const captchaToken = template?.content.querySelector('input[name="captcha_token"]')?.getAttribute('value')
  return captchaToken == null ? undefined : { captchaToken, madeAt }
}
