import { Fact } from '@hearth/ui'
import type { ReactNode } from 'react'

/** Names with their values, such as those of a device. */
export function Facts({ facts }: { facts: readonly (readonly [name: string, value: ReactNode])[] }) {
  return (
    <dl className="hearth-facts">
      {facts.map(([name, value]) => (
        <Fact key={name} name={name}>
          {value}
        </Fact>
      ))}
    </dl>
  )
}
