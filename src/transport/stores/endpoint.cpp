#include "transport/stores/endpoint.hpp"

#include "transport/stores/endpoint_exchange.hpp"
#include "transport/stores/endpoint_plan.hpp"

template class onehop::stores::endpoint_in<onehop::stores::process_memory>;
