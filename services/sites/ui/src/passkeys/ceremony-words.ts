import { ApiError, describeError } from '@hearth/ui'

const byBrowser: Readonly<Record<string, string>> = {
  NotAllowedError:
    'The passkey was not used: it was cancelled, took too long, or this device has none for this service.',
  InvalidStateError: 'This device has a passkey of your account already.',
  SecurityError: 'The browser refuses passkeys at this address.',
  NotSupportedError: 'This device cannot make a passkey that checks who you are.',
  ConstraintError:
    'This device cannot make a passkey that checks who you are. Set up a screen lock, or use another device.',
}

/** One sentence for a person about why a passkey could not be made or used; takes whatever was thrown. */
export function describeCeremony(error: unknown): string {
  if (error instanceof ApiError && error.kind === 'unknown_passkey')
    return 'This passkey is not known here any more. Sign in another way; this device forgets it where it can.'
  if (error instanceof ApiError && error.status === 401)
    return 'The passkey was not accepted. Sign in another way, or ask an administrator.'
  if (error instanceof ApiError && error.kind === 'challenge')
    return 'That took too long, or was used before. Try once more.'
  if (error instanceof ApiError) return describeError(error)
  const name = error instanceof Error ? error.name : ''
  return byBrowser[name] ?? describeError(error)
}
