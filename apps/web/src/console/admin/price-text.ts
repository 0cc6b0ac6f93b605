import type { UnpricedCards } from '@ingot/contracts/catalog-calls'

/** `NVIDIA GeForce RTX 4090` → `RTX 4090`: as the catalogue names cards. */
const nameOf = (model: string): string =>
  model
    .replace(/^(NVIDIA|Tesla) /, '')
    .replace(/^GeForce /, '')
    .slice(0, 40)
    .trim() || model.slice(0, 40).trim()

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`

/** What an operator runs to sell such cards. What only they know stands in capitals: left so, it is refused. */
export function priceText({ model, memory_gb }: UnpricedCards): string {
  const name = quoted(nameOf(model))
  const pattern = quoted(`^${model.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)}$`)
  return `insert into gpu_type (name, patterns, memory_gb, vcpus, ram_gb, position)
values (${name}, array[${pattern}], ${memory_gb}, VCPUS, RAM_GB, 1 + (select max(position) from gpu_type));
select set_gpu_price(${name}, null, PRICE_OF_AN_HOUR, PRICE_OF_3_MONTHS, PRICE_OF_A_YEAR);`
}
