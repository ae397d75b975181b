# The conformance suite runs here under an MPI launcher, over both transports of each MPI that modules
# were built for, with one rank and with more ranks than small machines have cores; and over shared memory and
# MPI together, on one host and as if on two.
#
# Ranks of one machine reach each other by stores over mixed and mpi_rma; on_two_hosts.sh makes them
# count as on two. MPICH too can be told that they are: `apart` that each is alone, `halves` that even
# and odd ranks are.

# onehop_mpi_test(name family mpirun transport ranks [ON_TWO_HOSTS] [ONLY case] [MPICH apart|halves]
#                 [WITH name variable=value ...])
function(onehop_mpi_test name family mpirun transport ranks)
  cmake_parse_arguments(PARSE_ARGV 5 arg "ON_TWO_HOSTS" "ONLY;MPICH" "WITH")
  set(test ${name}.${transport}.${family}.${ranks})
  set(program $<TARGET_FILE:${name}> --log_level=message)
  if(arg_ON_TWO_HOSTS)
    list(PREPEND program sh ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/on_two_hosts.sh)
    string(APPEND test .on_two_hosts)
  endif()
  if(arg_ONLY)
    list(APPEND program --run_test=${arg_ONLY}*)
    string(APPEND test .${arg_ONLY})
  endif()
  if(arg_MPICH)
    string(APPEND test .${arg_MPICH})
  endif()
  list(POP_FRONT arg_WITH with)
  if(with)
    string(APPEND test .${with})
  endif()
  add_test(NAME ${test} COMMAND ${mpirun} -n ${ranks} ${program})
  # Open MPI refuses root, as in containers, and more ranks than cores unless told otherwise.
  set(environment
      CONFORMANCE_TRANSPORT=${transport}
      ONEHOP_MODULE_PATH=$<TARGET_FILE_DIR:onehop_mpi_module_${family}>
      OMPI_ALLOW_RUN_AS_ROOT=1
      OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
      OMPI_MCA_rmaps_base_oversubscribe=1
      PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe
      ${arg_WITH})
  if("${arg_MPICH}" STREQUAL apart)
    list(APPEND environment MPIR_CVAR_NOLOCAL=1)
  elseif("${arg_MPICH}" STREQUAL halves)
    list(APPEND environment MPIR_CVAR_ODD_EVEN_CLIQUES=1)
  endif()
  set_tests_properties(${test} PROPERTIES TIMEOUT 120 LABELS "conformance;mpi" PROCESSORS 2
                                          ENVIRONMENT "${environment}")
endfunction()

set(tests_of_every_transport
    alltoall_test
    collectives_test
    group_test
    halo_exchange_test
    partial_start_test
    persistent_collective_test
    put_chain_misuse_test
    put_chain_test
    random_chains_test
    reductions_test
    sparse_exchange_test
    stream_test
    strided_put_test
    variable_put_test
    window_test)

# onehop_embedded_program(target family source ...) is a test that calls MPI itself.
function(onehop_embedded_program target family)
  add_executable(${target} ${ARGN})
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/tests)
  target_link_libraries(${target} PRIVATE onehop::transport onehop_boost_main onehop_mpi_${family})
  get_target_property(folders onehop_mpi_${family} ONEHOP_FOLDERS)
  set_target_properties(${target} PROPERTIES BUILD_RPATH "${folders}")
  onehop_compile_options(${target})
endfunction()

foreach(family IN LISTS ONEHOP_MPI_FAMILIES)
  get_target_property(mpirun onehop_mpi_${family} ONEHOP_MPIRUN)
  if(NOT mpirun)
    continue()
  endif()
  # A case that ends a job ends its processes, so each case runs by itself.
  foreach(case IN ITEMS deadline_says deadline_of_a_collective deadline_of_a_start an_abandoned_job)
    onehop_mpi_test(failure_test ${family} ${mpirun} mpi_p2p 3 ONLY ${case})
    onehop_mpi_test(failure_test ${family} ${mpirun} mixed 4 ON_TWO_HOSTS ONLY ${case})
  endforeach()
  foreach(case IN ITEMS a_deadline_in_a_group a_rank_that_gives_up a_member_that_leaves)
    onehop_mpi_test(group_failure_test ${family} ${mpirun} mpi_p2p 4 ONLY ${case})
    onehop_mpi_test(group_failure_test ${family} ${mpirun} mpi_rma 4 ON_TWO_HOSTS ONLY ${case})
  endforeach()
  # So many ranks hear most of the others through some.
  foreach(case IN ITEMS different_collectives gathers_in_rank_order)
    onehop_mpi_test(collectives_test ${family} ${mpirun} mpi_p2p 20 ONLY ${case})
  endforeach()
  # Groups of ranks on both hosts, and of ranks on one each.
  foreach(groups IN ITEMS 1 2)
    onehop_mpi_test(group_test ${family} ${mpirun} mixed 4 ON_TWO_HOSTS WITH groups_${groups}
                    CONFORMANCE_GROUPS=${groups})
  endforeach()
  foreach(name IN ITEMS collectives_test halo_exchange_test random_chains_test stream_test)
    onehop_mpi_test(${name} ${family} ${mpirun} mpi_p2p 4 WITH groups CONFORMANCE_GROUPS=2)
    onehop_mpi_test(${name} ${family} ${mpirun} mixed 4 ON_TWO_HOSTS WITH groups
                    CONFORMANCE_GROUPS=1)
    onehop_mpi_test(${name} ${family} ${mpirun} mpi_rma 4 ON_TWO_HOSTS WITH groups
                    CONFORMANCE_GROUPS=1)
  endforeach()
  foreach(name IN LISTS tests_of_every_transport)
    onehop_mpi_test(${name} ${family} ${mpirun} mixed 2)
    onehop_mpi_test(${name} ${family} ${mpirun} mixed 4 ON_TWO_HOSTS)
    onehop_mpi_test(${name} ${family} ${mpirun} mpi_rma 4 ON_TWO_HOSTS)
  endforeach()
  foreach(transport IN ITEMS mpi_p2p mpi_rma)
    foreach(ranks IN ITEMS 1 2 4)
      foreach(name IN LISTS tests_of_every_transport)
        onehop_mpi_test(${name} ${family} ${mpirun} ${transport} ${ranks})
      endforeach()
    endforeach()
  endforeach()
  # Programs that have MPI themselves, on a communicator of fewer ranks in another order.
  foreach(name IN ITEMS collectives_test group_test random_chains_test)
    set(embedded ${name}_embedded_${family})
    onehop_embedded_program(${embedded} ${family} ${name}.cpp embedded.cpp)
    onehop_mpi_test(${embedded} ${family} ${mpirun} mpi_p2p 4)
    onehop_mpi_test(${embedded} ${family} ${mpirun} auto 4)
    onehop_mpi_test(${embedded} ${family} ${mpirun} mixed 5 ON_TWO_HOSTS)
    onehop_mpi_test(${embedded} ${family} ${mpirun} mpi_rma 5 ON_TWO_HOSTS)
  endforeach()
  onehop_embedded_program(communicator_test_${family} ${family} communicator_test.cpp)
  foreach(transport IN ITEMS auto mpi_p2p mpi_rma)
    onehop_mpi_test(communicator_test_${family} ${family} ${mpirun} ${transport} 4)
  endforeach()
  onehop_mpi_test(communicator_test_${family} ${family} ${mpirun} mixed 4 ON_TWO_HOSTS)
  onehop_mpi_test(communicator_test_${family} ${family} ${mpirun} mpi_rma 4 ON_TWO_HOSTS)
  if(family STREQUAL mpich)
    onehop_mpi_test(random_chains_test ${family} ${mpirun} mpi_rma 2 ON_TWO_HOSTS MPICH apart)
    onehop_mpi_test(random_chains_test ${family} ${mpirun} mpi_rma 4 ON_TWO_HOSTS MPICH halves)
  endif()
endforeach()
if(NOT ONEHOP_MPI_FAMILIES)
  add_test(NAME conformance_under_mpi
           COMMAND sh -c "echo 'no MPI was found, or ONEHOP_MPI is OFF: pip install mpich'; exit 77")
  set_tests_properties(conformance_under_mpi PROPERTIES SKIP_RETURN_CODE 77 LABELS conformance)
endif()
