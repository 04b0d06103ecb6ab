import type { ComponentType, ReactNode } from 'react'
import type { Shades } from './accent.ts'

/** Name, icon and sign-in screen of a service. */
export interface Service {
  /** As it stands after "Hearth": `VPN`. */
  name: string
  icon: ComponentType<{ size?: number | string; stroke?: number | string; 'aria-hidden'?: boolean }>
  accent: Shades
  /** A sentence under the sign-in form, such as where the first password stands. */
  signInHint: string
  /** Further fields of the sign-in form, sent with name and password. */
  signInFields?: ReactNode
  /** Path of the routes of sign-in through an OpenID Connect provider. */
  openIdPath?: string
  /** Shown while nobody is signed in; `ended` says that a session was there before. */
  signInScreen: ComponentType<{ service: Service; ended: boolean }>
}
