import { type GpuType, gpus } from '@ingot/contracts/catalog'

/** `48 GB`, or `48 GB each` where there are several. */
export const memoryText = ({
  gpu_type,
  gpu_count,
}: {
  readonly gpu_type: GpuType
  readonly gpu_count: number
}): string => `${gpus[gpu_type].memory_gb} GB${gpu_count > 1 ? ' each' : ''}`
