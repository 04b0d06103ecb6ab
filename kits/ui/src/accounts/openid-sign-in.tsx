import { lazy, Suspense, useEffect, useState } from 'react'
import type { SignInFailure } from '../sign-in-failure.ts'

/** Longest path that the service takes back, characters. */
const maxNext = 2000

interface OpenIdSignInProps {
  /** Path of the service's routes, such as `/api/openid`; undefined for a service without them. */
  path: string | undefined
  /** Receives why the last sign-in through the provider failed. */
  failure: SignInFailure
  /** Another way to sign in stands above it, with nothing between. */
  isDivided?: boolean
}

const OpenIdButton = lazy(async () => ({ default: (await import('./openid-button.tsx')).OpenIdButton }))

/** Button that signs in through the OpenID Connect provider; nothing where there is none. */
export function OpenIdSignIn({ path, failure, isDivided = false }: OpenIdSignInProps) {
  const name = useOpenIdProvider(path)
  if (path === undefined || name === null) return null
  return (
    <Suspense>
      <OpenIdButton {...{ path, name, failure, isDivided }} />
    </Suspense>
  )
}

/** Returns where a browser begins to sign in and, signed in, comes back to this page. */
export function openIdAddress(path: string, more: Record<string, string> = {}): string {
  const { pathname, search } = window.location
  const next = `${pathname}${search}`
  return `${path}?${new URLSearchParams({ ...more, next: next.length > maxNext ? pathname : next })}`
}

/**
 * Name of the provider through which people may sign in; null while it is not known, and without one. It stays out of the cache
 * of answers, which is cleared when nobody is signed in.
 */
export function useOpenIdProvider(path: string | undefined): string | null {
  const [name, setName] = useState<string | null>(null)
  useEffect(() => {
    let isWanted = path !== undefined
    const read = async () => {
      const found = path === undefined ? null : await readProvider(path)
      if (isWanted) setName(found)
    }
    // Without an answer there is no button, and the other ways to sign in are there.
    read().catch(() => undefined)
    return () => {
      isWanted = false
    }
  }, [path])
  return name
}

async function readProvider(path: string): Promise<string | null> {
  const response = await fetch(`${path}/provider`)
  if (!response.ok) return null
  const answer = (await response.json()) as { name?: string | null; data?: { name: string | null } }
  return (answer.data ?? answer).name ?? null
}
