/* Included before all else into the files of lab06_tasks: the model sees each fence, as smp_mb(). */
#pragma once

void model_fence(int order);
#define __atomic_thread_fence(order) model_fence(order)
