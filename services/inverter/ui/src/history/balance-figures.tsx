import { Fact } from '@hearth/ui'
import type { EnergyHistory } from '../api.ts'
import { energy, measure, percent, spell } from '../values/quantity.ts'

/** The figures of a period in the words that people use. */
export function BalanceFigures({ balance }: { balance: EnergyHistory['balance'] }) {
  const amount = (wattHours: number | null) => spell(energy(wattHours ?? undefined))
  const share = (value: number | null) => spell(percent(value ?? undefined))
  const loss = (wattHours: number | null) => (wattHours === null ? '–' : amount(Math.max(0, wattHours)))
  const figures = [
    ['Produced', amount(balance.pv_wh)],
    ['Used', amount(balance.load_wh)],
    ['From the grid', amount(balance.import_wh)],
    ['To the grid', amount(balance.export_wh)],
    ['Self-sufficiency', share(balance.self_sufficiency)],
    ['Own use', share(balance.own_use)],
    ['Battery charged', amount(balance.charge_wh)],
    ['Battery discharged', amount(balance.discharge_wh)],
    ['Full battery cycles', spell(measure(balance.battery_cycles ?? undefined, '', 1))],
    ['Lost in the battery', loss(balance.battery_loss_wh)],
    ['Lost in the inverter', loss(balance.conversion_loss_wh)],
  ]
  return (
    <dl className="balance-figures">
      {figures.map(([name = '', value]) => (
        <Fact key={name} name={name}>
          {value}
        </Fact>
      ))}
    </dl>
  )
}
