import { DnsFrame } from '../dns/dns-frame.tsx'
import { WhyForm } from '../dns/explain/why-form.tsx'
import { ResolverCard } from '../dns/resolver-card.tsx'
import { Statistics } from '../dns/stats/statistics.tsx'

/** The DNS filter at a glance: what it blocks, why, and how the resolver does. */
export function DnsPage() {
  return (
    <DnsFrame>
      <div className="hearth-stack">
        <WhyForm />
        <Statistics />
        <ResolverCard />
      </div>
    </DnsFrame>
  )
}
