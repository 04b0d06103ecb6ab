import type { CDPSession, Page } from 'playwright-core'

/** A passkey as Chromium's virtual authenticator keeps it; bytes are in base64. */
export interface KeptPasskey {
  credentialId: string
  rpId?: string
  privateKey: string
  userHandle?: string
  signCount: number
  isResidentCredential: boolean
}

/** A fingerprint reader in software, plugged into the browser of one page. */
export interface VirtualAuthenticator {
  passkeys(): Promise<KeptPasskey[]>
  /** Puts another copy in the place of the only passkey. */
  replace(passkey: KeptPasskey): Promise<void>
  /** Makes the next verifications of the user succeed or fail. */
  setVerified(isVerified: boolean): Promise<void>
}

/** Plugs one in, after the one before was pulled out. It touches by itself, also for passkeys offered in the autofill. */
export async function plugIn(page: Page): Promise<VirtualAuthenticator> {
  const session = await page.context().newCDPSession(page)
  await session.send('WebAuthn.enable')
  const { authenticatorId } = await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
  return connected(session, authenticatorId)
}

function connected(session: CDPSession, authenticatorId: string): VirtualAuthenticator {
  return {
    passkeys: async () => (await session.send('WebAuthn.getCredentials', { authenticatorId })).credentials,
    replace: async (passkey) => {
      await session.send('WebAuthn.clearCredentials', { authenticatorId })
      await session.send('WebAuthn.addCredential', { authenticatorId, credential: passkey })
    },
    setVerified: async (isUserVerified) => {
      await session.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified })
    },
  }
}

/**
 * Lets the page believe that its browser cannot offer passkeys in the autofill, or makes it a browser that can again. The
 * virtual authenticator takes every offer at once, so that the button would never be needed.
 */
export async function setAutofill(page: Page, isOn: boolean): Promise<void> {
  const url = 'http://localhost'
  await page.context().addCookies([{ name: 'autofill', value: isOn ? 'on' : 'off', url }])
}

/** Runs before each page; see `setAutofill`. */
export const autofillSwitch = `if (window.PublicKeyCredential) {
  const ask = PublicKeyCredential.isConditionalMediationAvailable.bind(PublicKeyCredential)
  PublicKeyCredential.isConditionalMediationAvailable = async () => !document.cookie.includes('autofill=off') && ask()
}`
