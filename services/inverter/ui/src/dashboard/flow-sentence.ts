import { directionOf, type EnergyFlow } from '../values/energy-flow.ts'
import { percent, power, spell } from '../values/quantity.ts'

/** The picture in words, for those who do not see it. */
export function describeFlow({ solar, house, battery, grid, soc }: EnergyFlow): string {
  const parts = [
    solar === undefined ? 'solar power unknown' : `solar ${spell(power(solar))}`,
    house === undefined ? 'house unknown' : `house uses ${spell(power(house))}`,
    batteryPart(battery),
    gridPart(grid),
    ...(soc === undefined ? [] : [`battery at ${spell(percent(soc))}`]),
  ]
  return `Energy flow: ${parts.join(', ')}`
}

function batteryPart(watts: number | undefined): string {
  if (watts === undefined) return 'battery power unknown'
  const words = { in: 'battery gives', out: 'battery takes', still: '' }
  const word = words[directionOf(watts)]
  return word === '' ? 'battery rests' : `${word} ${spell(power(watts))}`
}

function gridPart(watts: number | undefined): string {
  if (watts === undefined) return 'grid power unknown'
  const words = { in: 'from the grid', out: 'to the grid', still: '' }
  const word = words[directionOf(watts)]
  return word === '' ? 'nothing from or to the grid' : `${spell(power(watts))} ${word}`
}
