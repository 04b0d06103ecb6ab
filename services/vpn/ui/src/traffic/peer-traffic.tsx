import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { keys } from '../api.ts'
import { PeriodChoice } from './period-choice.tsx'
import { periodNamed } from './periods.ts'
import { readPeerTraffic } from './read-traffic.ts'
import { TrafficHistory } from './traffic-history.tsx'

/** What one peer moved over time. */
export function PeerTraffic({ id }: { id: string }) {
  const [name, setName] = useState('day')
  const traffic = useQuery({
    queryKey: [...keys.traffic, id, name],
    queryFn: () => readPeerTraffic(id, periodNamed(name)),
    refetchInterval: 60_000,
    placeholderData: keepPreviousData,
  })
  return (
    <section className="hearth-stack" aria-label="Traffic">
      <h3 className="drawer-heading">Traffic</h3>
      <PeriodChoice value={name} onChange={setName} />
      <TrafficHistory traffic={traffic} title="Traffic of this peer" />
    </section>
  )
}
