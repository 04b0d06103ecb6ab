/** Why this browser offers no passkeys on this page, in a sentence; undefined when it does. */
export function passkeyObstacle(): string | undefined {
  if (!window.isSecureContext)
    return 'Passkeys work over https only, and this page was opened without. Sign in with the password.'
  const Credential = window.PublicKeyCredential as Partial<typeof PublicKeyCredential> | undefined
  if (Credential?.parseRequestOptionsFromJSON === undefined)
    return 'This browser is too old for passkeys. Sign in with the password.'
  return undefined
}

/** Whether passkeys can be offered in the autofill of a field. */
export async function hasPasskeyAutofill(): Promise<boolean> {
  if (passkeyObstacle() !== undefined) return false
  const Credential = window.PublicKeyCredential as Partial<typeof PublicKeyCredential>
  return (await Credential.isConditionalMediationAvailable?.()) ?? false
}
